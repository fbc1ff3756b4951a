package task

import (
	"context"
	"sync/atomic"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// keep appends a change to the store, which must exist. The caller has the turn, so
// that the changes of a task are appended in the order in which they happen. keep
// waits while the store's queue is full, and no cancellation may end that wait: a
// restart cannot restore what the store does not have.
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

// head returns what is kept of the task, as it is now, besides its history and its
// events. The caller holds mu or has the turn.
func (t *Task) head() *Head {
	return &Head{
		ID: t.id, Owner: t.owner, ContextID: t.contextID, Status: t.status, Metadata: t.metadata,
		Reply: t.reply, Turn: t.turn, Seq: t.seq, LastEvent: t.last, Push: t.push,
	}
}

// Durable waits until the newest status, message, metadata and push config of the
// task are durable. A caller that tells a client about them by other means than Show
// or a stream calls it first. While the store cannot write, Durable does not wait:
// running work continues. The error is the cause of ctx's end.
func (t *Task) Durable(ctx context.Context) error {
	t.mu.Lock()
	c := t.seen
	t.mu.Unlock()
	return t.reg.durable(ctx, c)
}

// outage records whether the store's fault has been logged. It is logged once.
type outage struct{ told atomic.Bool }

// durable waits for a commit; nil means that there is nothing to wait for. A store
// that cannot write never blocks anything: the fault is logged, and the change is
// shown all the same.
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

// restartGap is how far the IDs of a task's events jump at a restart. So the IDs of
// events that were seen and then lost are not used again.
const restartGap = 1 << 20

// stored reads the events of a task from the store: those that come after the event
// with the ID after, up to the ID last. It stops at the first gap that is not one
// left by a restart.
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
