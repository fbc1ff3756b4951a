package task

import (
	"context"
	"weak"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// opening is the snapshot that a stream begins with. Subscribers that come
// between two changes share one, and its encoding.
type opening struct {
	seen    Commit // what must be durable before anybody sees it
	version uint64

	// turn at making the event: the one that has put a value in.
	turn  chan struct{}
	view  view
	event *a2a.Event
}

// open has a stream begin with a snapshot, and go on after it. The snapshot is
// kept only as long as one of them needs it. It is never an older one: who comes
// back without saying what it has would see the task go backwards. mu is held.
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
