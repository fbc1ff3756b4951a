package task

import (
	"context"
	"weak"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// opening is the snapshot that a stream begins with. Making one, and its encoding,
// takes as long as the task is large. So subscribers share one as long as the
// events after it are at hand and tell all that has changed since.
type opening struct {
	seen    Commit // what must be durable before anybody sees it
	version uint64
	last    uint64 // the newest event that it holds

	// turn at making the event: the one that has put a value in.
	turn  chan struct{}
	view  view
	event *a2a.Event
}

// open has a stream begin with a snapshot, and go on after it. The snapshot is
// kept only as long as one of them needs it. mu is held.
func (t *Task) open(r *reader) {
	r.next, r.pos = t.last+1, t.log.head
	if o := t.shared.Value(); o != nil && o.version == t.version {
		if o.last == t.last {
			r.first = o
			return
		}
		if events, ok := t.log.from(o.last + 1); ok {
			r.first, r.next, r.pos = o, o.last+1, events[0].end-events[0].size
			return
		}
	}
	o := &opening{seen: t.seen, version: t.version, last: t.last, turn: make(chan struct{}, 1), view: t.view()}
	t.shared = weak.Make(o)
	r.first = o
}

// openingEvent makes the event, once.
func (t *Task) openingEvent(ctx context.Context, o *opening) (*a2a.Event, error) {
	select {
	case o.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-o.turn }()
	if o.event != nil {
		return o.event, nil
	}
	task, err := t.build(ctx, &o.view, nil, true, t.reg.room())
	if err != nil {
		return nil, err
	}
	o.event = &a2a.Event{ID: o.view.last, Task: task}
	o.view = view{}
	return o.event, nil
}
