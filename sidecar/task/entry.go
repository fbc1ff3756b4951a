package task

import (
	"context"
	"weak"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// entry is what the registry knows of a task. It is the task itself or, if the task
// is in the store only, enough to list it. The registry's mu guards it.
type entry struct {
	id, owner, contextID string

	task   *Task              // nil if the task is in the store only
	loaded weak.Pointer[Task] // the Task in use, if any, when task is nil

	// Once it has finished:
	done   bool
	status a2a.Status // without the message, except for tasks that a restart interrupted
	seq    uint64
	last   uint64
	turn   int
	memory int64  // bytes in memory; 0 if the task is in the store only
	size   int64  // bytes in the store
	commit Commit // of the task's end; nil once that is durable

	push []Push
}

// end records how the task ended. t.mu is held.
func (e *entry) end(t *Task, memory int64) {
	e.done = true
	e.status = a2a.Status{State: t.status.State, Timestamp: t.status.Timestamp}
	e.seq, e.last, e.turn, e.memory, e.size, e.commit = t.seq, t.last, t.turn, memory, t.size, t.seen
}

// Get returns a caller's task. It returns a2a.ErrTaskNotFound if the task never
// existed, is not kept any more, or belongs to another caller (§13.1).
func (r *Registry) Get(owner, id string) (*Task, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.entries[id]
	if !ok || e.owner != owner {
		return nil, a2a.ErrTaskNotFound
	}
	return r.get(e), nil
}

// get returns the Task of an entry. There is only one at a time, so that its writers
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
