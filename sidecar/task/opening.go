package task

import (
	"context"
	"weak"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// opening is the snapshot that a stream begins with. Subscribers that come between
// two changes of the task share one opening, and its encoding.
type opening struct {
	seen    Commit // what must be durable before anybody sees the snapshot
	version uint64

	// turn at making the event: the goroutine that has put a value in may make it.
	turn  chan struct{}
	view  view
	event *a2a.Event
}

// open makes a stream begin with a snapshot and continue after it. The snapshot is
// kept only while a stream needs it. An older snapshot is never used: a client that
// comes back without an event ID would see the task go backwards. mu is held.
func (t *Task) open(r *reader) {
	r.next, r.pos = t.last+1, t.log.head
	if o := t.shared.Value(); o != nil && o.version == t.version {
		r.first = o
		return
	}
	o := &opening{seen: t.seen, version: t.version, turn: make(chan struct{}, 1), view: t.view()}
	t.shared = weak.Make(o)
	r.first = o
}

// openingEvent makes the event of a snapshot once, and returns it.
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
