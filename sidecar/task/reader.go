package task

import (
	"context"
	"io"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// batchBytes is about how much one Next returns: enough for one write and one
// flush, little enough not to count against the window.
const batchBytes = 128 << 10

// reader is one subscription.
type reader struct {
	t *Task
	// Guarded by t.mu:
	first *a2a.Event // the snapshot, until it is returned
	at    *node
	pos   int64
	moved time.Time // when it last took something while the writer waited
	err   error     // why it ended
}

var _ a2a.Stream = (*reader)(nil)

// Subscribe follows the task: a snapshot with all history and artifacts, then
// every later event, then io.EOF after the terminal one. On a terminal task
// the snapshot is all there is. The stream must be closed.
func (t *Task) Subscribe() a2a.Stream {
	r := &reader{t: t}
	t.mu.Lock()
	if first := t.shared.Value(); first != nil && t.sharedAt == t.version {
		r.first = first
	}
	r.at, r.pos = t.log.tail, t.log.head
	t.log.readers[r] = struct{}{}
	if r.first != nil {
		t.mu.Unlock()
		return r
	}
	v, version := t.view(), t.version
	t.mu.Unlock()

	// The copy is made without the lock. Nobody else knows r yet.
	event := &a2a.Event{Task: v.task(nil, true)}
	t.mu.Lock()
	defer t.mu.Unlock()
	r.first = event
	t.share(event, version)
	return r
}

// SubscribeAfter follows the task from the event after the one whose ID is
// after, without a snapshot, if that is still at hand; else, and for 0, as
// Subscribe does. On a terminal task the stream is the rest of its events. The
// stream must be closed.
func (t *Task) SubscribeAfter(after uint64) a2a.Stream { return t.Subscribe() }

// Follow is SubscribeAfter for somebody who is in no hurry: the stream never
// holds the writer up and is never cut. Where it has fallen behind what is at
// hand it goes on with a new snapshot.
func (t *Task) Follow(after uint64) a2a.Stream { return t.SubscribeAfter(after) }

// Next implements a2a.Stream.
func (r *reader) Next(ctx context.Context) ([]*a2a.Event, error) {
	for {
		events, wake, err := r.take()
		if len(events) > 0 || err != nil {
			return events, err
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// take returns what there is to read, or why there will be nothing, or what to
// wait for.
func (r *reader) take() (events []*a2a.Event, wake <-chan struct{}, err error) {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	if r.err != nil {
		return nil, nil, r.err
	}
	if r.first != nil {
		events, r.first = append(events, r.first), nil
	}
	var size int64
	for r.at.event != nil && size < batchBytes {
		events = append(events, r.at.event)
		size += r.at.size
		r.at = r.at.next
	}
	l := &r.t.log
	switch {
	case len(events) > 0:
		l.advance(r, size)
		return events, nil, nil
	case l.closed:
		l.drop(r, io.EOF)
		return nil, nil, io.EOF
	}
	return nil, l.waiting(r.at), nil
}

// Close implements a2a.Stream.
func (r *reader) Close() {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	r.first = nil
	r.t.log.drop(r, io.ErrClosedPipe)
}
