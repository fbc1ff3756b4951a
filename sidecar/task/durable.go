package task

import (
	"context"
	"sync/atomic"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// keep appends a change to the store: there is one. The caller has the turn,
// so that the changes of a task are appended in the order in which they happen.
// They wait for room there, but nothing may make them stay away: what a store
// does not have, no restart brings back.
func (t *Task) keep(c *Change, size int64) Commit {
	if t.discarded {
		return nil
	}
	c.TaskID = t.id
	t.mu.Lock()
	t.size += size
	t.mu.Unlock()
	return t.reg.opts.Store.Append(context.WithoutCancel(t.ctx), c)
}

// head is what is kept of the task beside its history and its events, as it is
// now. mu, or the turn, is held.
func (t *Task) head() *Head {
	return &Head{
		ID: t.id, Owner: t.owner, ContextID: t.contextID, Status: t.status, Metadata: t.metadata,
		Reply: t.reply, Turn: t.turn, Seq: t.seq, LastEvent: t.last, Push: t.push,
	}
}

// Durable waits until the newest status, message, metadata and push config of
// the task are durable: whoever tells a client of them by other means than Show
// or a stream calls it before. While the store cannot write it does not wait:
// what runs goes on. The error is the cause of ctx's end.
func (t *Task) Durable(ctx context.Context) error {
	t.mu.Lock()
	c := t.seen
	t.mu.Unlock()
	return t.reg.durable(ctx, c)
}

// outage says whether the store's fault has been told. It is told once.
type outage struct{ told atomic.Bool }

// durable waits for a commit, nil for none. A store that cannot write never
// holds anything up: the fault is told, and what happens is shown all the same.
func (r *Registry) durable(ctx context.Context, c Commit) error {
	if c == nil || c.Done() {
		return nil
	}
	err := c.Wait(ctx)
	switch {
	case err == nil:
		if r.outage.told.Load() {
			r.outage.told.Store(false)
		}
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !r.outage.told.Swap(true):
		r.opts.Log.Warn("tasks are shown that would not survive a restart: the store cannot write", "error", err)
	}
	return nil
}

// restartGap is how far the IDs of a task's events jump at a restart, so that
// those of events that were seen and lost are not given out again.
const restartGap = 1 << 20

// stored reads the events of a task from the store: those after one, up to
// last, without a gap but those that restarts leave.
func (r *Registry) stored(id string, after, last uint64) []*a2a.Event {
	if r.opts.Store == nil {
		return nil
	}
	events, err := r.opts.Store.Events(id, after, batchBytes)
	if err != nil {
		r.opts.Log.Debug("events cannot be read from the store", "task", id, "error", err)
		return nil
	}
	for i, e := range events {
		if e.ID != after+1 && e.ID != after+restartGap || e.ID > last {
			return events[:i]
		}
		after = e.ID
	}
	return events
}
