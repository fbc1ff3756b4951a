package task

import (
	"context"
	"weak"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// entry is what the registry knows of a task: the task itself, or, once it is
// in the store only, enough to list it. The registry's mu guards it.
type entry struct {
	id, owner, contextID string

	task   *Task              // nil: it is in the store only
	loaded weak.Pointer[Task] // then: the one that is in use, if any

	// Once it has finished:
	done   bool
	status a2a.Status // without the message, but for those that a restart interrupted
	seq    uint64
	last   uint64
	turn   int
	memory int64  // what it takes there, bytes; 0 when it is in the store only
	size   int64  // what it takes in the store, bytes
	commit Commit // of its end, nil when it is durable

	push []Push
}

// end takes note of how the task ended. t.mu is held.
func (e *entry) end(t *Task, memory int64) {
	e.done = true
	e.status = a2a.Status{State: t.status.State, Timestamp: t.status.Timestamp}
	e.seq, e.last, e.turn, e.memory, e.size, e.commit = t.seq, t.last, t.turn, memory, t.size, t.seen
}

// Get returns a caller's task, or a2a.ErrTaskNotFound: there never was one, it
// is not kept any more, or it is somebody else's (§13.1).
func (r *Registry) Get(owner, id string) (*Task, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.entries[id]
	if !ok || e.owner != owner {
		return nil, a2a.ErrTaskNotFound
	}
	return r.get(e), nil
}

// get returns the task of an entry. There is one at a time, so that its writers
// take turns. mu is held.
func (r *Registry) get(e *entry) *Task {
	if e.task != nil {
		return e.task
	}
	if t := e.loaded.Value(); t != nil {
		return t
	}
	t := &Task{
		id: e.id, owner: e.owner, contextID: e.contextID, reg: r, entry: e,
		writer: make(chan struct{}, 1), status: e.status, seq: e.seq, last: e.last, turn: e.turn, push: e.push,
		finished: true, evicted: true, bare: true,
	}
	t.ctx, t.cancel = context.WithCancelCause(r.ctx)
	t.cancel(ErrFinished)
	t.log.init(r.opts.Window, &r.replay)
	t.log.closed = true
	e.loaded = weak.Make(t)
	return t
}
