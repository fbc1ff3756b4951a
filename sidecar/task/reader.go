package task

import (
	"context"
	"io"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// batchBytes is about how many bytes one Next returns: enough for one write and one
// flush, and small compared with the window.
const batchBytes = 128 << 10

// reader is one subscription. Without a store the writer waits for it, unless the
// reader only follows; a reader that the writer waits for is one of the log's
// readers. Any other reader, when it needs events that have left the log, reads them
// from the store; if the store does not have them either, it continues with a new
// snapshot.
type reader struct {
	t *Task

	// taken holds the events that may be seen once seen is durable. Only Next uses
	// these three fields.
	taken []*a2a.Event
	seen  Commit
	read  bool // the store did not have the next event although all was durable

	// Guarded by t.mu:
	first *opening  // the snapshot to begin with, until it is taken
	next  uint64    // the ID of the next event
	pos   int64     // bytes read, for the log's readers
	moved time.Time // when it last took something while the writer waited
	err   error     // why the stream has ended; nil while it has not
}

var _ a2a.Stream = (*reader)(nil)

// Subscribe follows the task: the stream begins with a snapshot with all history and
// artifacts, continues with every later event, and returns io.EOF after the terminal
// one. On a terminal task the snapshot is all there is. The stream must be closed.
func (t *Task) Subscribe() a2a.Stream { return t.subscribe(0, t.reg.opts.Store == nil) }

// SubscribeAfter follows the task from the event after the one whose ID is after,
// without a snapshot, if that event is still available. Otherwise, and if after is
// 0, it does the same as Subscribe. On a terminal task the stream is the rest of its
// events. The stream must be closed.
func (t *Task) SubscribeAfter(after uint64) a2a.Stream {
	return t.subscribe(after, t.reg.opts.Store == nil)
}

// Follow is SubscribeAfter for a subscriber that may read slowly: the stream never
// makes the writer wait and is never cut off. If it falls behind the available
// events, it continues with a new snapshot.
func (t *Task) Follow(after uint64) a2a.Stream { return t.subscribe(after, false) }

func (t *Task) subscribe(after uint64, waited bool) a2a.Stream {
	r := &reader{t: t}
	t.mu.Lock()
	defer t.mu.Unlock()
	r.next, r.pos = t.last+1, t.log.head
	events, ok := t.log.from(after + 1)
	switch {
	case after > 0 && ok:
		r.next, r.pos = after+1, events[0].end-events[0].size
	case after == t.last && after > 0 || after > t.last && t.finished:
		// There is nothing before the next event.
	case after > 0 && after < t.last && t.reg.opts.Store != nil:
		r.next = after + 1
	default:
		t.open(r)
	}
	if waited {
		t.log.join(r)
	}
	return r
}

// Next implements a2a.Stream.
func (r *reader) Next(ctx context.Context) ([]*a2a.Event, error) {
	for {
		if len(r.taken) > 0 {
			return r.give(ctx)
		}
		s := r.take()
		switch {
		case s.err != nil:
			return nil, s.err
		case s.first != nil:
			if err := r.begin(ctx, s.first); err != nil {
				return nil, err
			}
		case s.behind:
			if err := r.catchUp(ctx, s); err != nil {
				return nil, err
			}
		case s.wake != nil:
			select {
			case <-s.wake:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
	}
}

// give returns the taken events as soon as they may be seen. They stay taken if ctx
// ends first.
func (r *reader) give(ctx context.Context) ([]*a2a.Event, error) {
	if err := r.t.reg.durable(ctx, r.seen); err != nil {
		return nil, err
	}
	events := r.taken
	r.taken, r.seen = nil, nil
	return events, nil
}

// found is the result of take: a snapshot to begin with, or that the next events are
// not in the log any more, or what to wait for, or why there is nothing more.
type found struct {
	first  *opening
	behind bool
	last   uint64 // the newest event, when behind
	newest Commit // of the newest change, when behind
	wake   <-chan struct{}
	err    error
}

// take moves the events that can be read into taken.
func (r *reader) take() (s found) {
	t := r.t
	t.mu.Lock()
	defer t.mu.Unlock()
	if r.err != nil {
		return found{err: r.err}
	}
	if s.first, r.first = r.first, nil; s.first != nil {
		return s
	}
	l := &t.log
	events, ok := l.from(r.next)
	switch {
	case ok:
		r.collect(events)
		return found{}
	case r.next <= t.last:
		return found{behind: true, last: t.last, newest: t.newest}
	case l.closed:
		l.drop(r)
		r.err = io.EOF
		return found{err: io.EOF}
	}
	return found{wake: l.waiting()}
}

// collect takes up to a batch of events. t.mu is held.
func (r *reader) collect(events []logged) {
	var size int64
	for _, e := range events {
		if size >= batchBytes {
			break
		}
		r.taken = append(r.taken, e.event)
		if e.seen != nil {
			r.seen = e.seen // when it is durable, those of the earlier events are, too
		}
		size += e.size
		r.next++
	}
	r.read = false
	r.t.log.advance(r, size)
}

// begin takes the snapshot, and the events after it that the log holds already.
func (r *reader) begin(ctx context.Context, o *opening) error {
	event, err := r.t.openingEvent(ctx, o)
	if err != nil {
		r.t.mu.Lock()
		r.first = o
		r.t.mu.Unlock()
		return err
	}
	r.taken, r.seen = append(r.taken, event), o.seen
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	if events, ok := r.t.log.from(r.next); ok && r.err == nil {
		r.collect(events)
	}
	return nil
}

// catchUp reads from the store the events that the log does not hold any more. If
// the store does not have them yet, catchUp waits until all is durable and the
// reader tries again; after that the stream continues with a snapshot.
func (r *reader) catchUp(ctx context.Context, s found) error {
	if events := r.t.reg.stored(r.t.id, r.next-1, s.last); len(events) > 0 {
		r.taken = events
		r.t.mu.Lock()
		r.next = events[len(events)-1].ID + 1
		r.t.mu.Unlock()
		r.read = false
		return nil
	}
	if !r.read && s.newest != nil {
		err := r.t.reg.durable(ctx, s.newest)
		r.read = err == nil
		return err
	}
	r.read = false
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	if r.err == nil {
		r.t.open(r)
	}
	return nil
}

// Close implements a2a.Stream.
func (r *reader) Close() {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	r.first = nil
	r.t.log.drop(r)
	if r.err == nil {
		r.err = io.ErrClosedPipe
	}
}
