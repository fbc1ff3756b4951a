package task

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// interrupted is the last message of a task that had not finished when the process
// ended.
const interrupted = "interrupted by restart"

// OpenRegistry returns a registry of all tasks that Options.Store keeps; the
// registry is empty if Store is nil. Tasks that had not finished are now failed,
// "interrupted by restart". That is durable when OpenRegistry returns, unless the
// store cannot write. The error is the store's, or the cause of ctx's end.
func OpenRegistry(ctx context.Context, o Options) (*Registry, error) {
	r := newRegistry(o)
	if o.Store == nil {
		return r, nil
	}
	heads, err := o.Store.Heads()
	if err != nil {
		return nil, err
	}
	if n := len(heads); n > 0 {
		r.seq.Store(heads[n-1].Seq)
	}
	running := heads[:0:0]
	for _, h := range heads {
		if h.Status.State.Terminal() {
			r.restore(h)
		} else {
			running = append(running, h)
		}
	}
	var last Commit
	for _, h := range running {
		last = r.interrupt(ctx, h)
	}
	if err := r.durable(ctx, last); err != nil {
		return nil, err
	}
	r.mu.Lock()
	gone := r.crowdOut()
	r.mu.Unlock()
	r.depart(gone)
	if len(heads) > 0 {
		r.opts.Log.Info("tasks restored", "tasks", len(heads), "interrupted", len(running))
	}
	return r, nil
}

// restore adds a finished task to the registry. The task's content stays in the
// store.
func (r *Registry) restore(h Head) *entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := &entry{
		id: h.ID, owner: h.Owner, contextID: h.ContextID,
		done: true, status: a2a.Status{State: h.Status.State, Timestamp: h.Status.Timestamp},
		seq: h.Seq, last: h.LastEvent, turn: h.Turn, size: h.Bytes, push: h.Push,
	}
	r.entries[e.id] = e
	r.index.keeps(e.owner, e.contextID)
	r.keepDone(e)
	r.done.stored++
	return e
}

// interrupt ends a task that nobody runs any more. If the disk is full, the end may
// become durable only later; until then the entry holds all that is shown of it.
func (r *Registry) interrupt(ctx context.Context, h Head) Commit {
	h.Seq, h.LastEvent = r.seq.Add(1), h.LastEvent+restartGap
	h.Status = a2a.Status{State: a2a.StateFailed, Timestamp: now(), Message: &a2a.Message{
		ID: a2a.NewID(), TaskID: h.ID, ContextID: h.ContextID, Role: a2a.RoleAgent,
		Parts: []a2a.Part{a2a.TextPart(interrupted)},
	}}
	u := &a2a.StatusUpdate{TaskID: h.ID, ContextID: h.ContextID, Status: h.Status}
	c := r.opts.Store.Append(ctx, &Change{
		TaskID: h.ID, Head: &h, Event: &Stored{Event: &a2a.Event{ID: h.LastEvent, Status: u}},
	})
	r.restore(h).status.Message = h.Status.Message
	return c
}
