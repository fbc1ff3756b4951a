package task

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// loads is how many tasks may be read from the store at the same time. Each of them
// may take as much memory as room allows.
const loads = 4

// room is how many bytes of artifact content may be read from the store for one
// answer. It is no less than memory may keep of the task.
func (r *Registry) room() int64 { return max(r.opts.KeepBytes, r.opts.TaskBytes) }

// build makes a task from a view. It reads from the store what memory does not have:
// an evicted task, or artifacts that were cut, up to limit bytes. The error is the
// cause of ctx's end, or the store's.
func (t *Task) build(ctx context.Context, v *view, history *int, artifacts bool, limit int64) (*a2a.Task, error) {
	store := t.reg.opts.Store
	if store == nil || !v.evicted && (!artifacts || !v.cut() || limit <= t.reg.opts.TaskBytes) {
		return v.task(history, artifacts), nil
	}
	if err := t.reg.durable(ctx, v.newest); err != nil { // the store shows what is durable
		return nil, err
	}
	select {
	case t.reg.loads <- struct{}{}:
		defer func() { <-t.reg.loads }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	kept := artifactStore{limit: limit}
	last := uint64(0)
	each := func(e *Stored) bool {
		if e.ID > v.last || ctx.Err() != nil {
			return false
		}
		if e.Artifact != nil {
			kept.apply(e.Artifact, e.Cont)
		}
		last = e.ID
		return true
	}
	if !artifacts {
		each = nil
	}
	record, err := store.Load(t.id, t.reg.opts.TaskBytes, each)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case v.evicted && err != nil:
		return nil, err
	case v.evicted:
		v.restore(record, t.reg.opts.TaskBytes)
	case err != nil || last < v.last: // memory has more
		t.reg.opts.Log.Warn("a task's artifacts are shown cut: the store does not have them", "task", t.id, "error", err)
		return v.task(history, artifacts), nil
	}
	v.artifacts = v.artifacts[:0]
	for _, a := range kept.list {
		v.artifacts = append(v.artifacts, *a)
	}
	v.lost["artifactsDropped"] = kept.dropped
	return v.task(history, artifacts), nil
}

// restore fills the view with a task as the store has it. The view keeps its own
// status if the store does not have the newest event yet.
func (v *view) restore(r *Record, limit int64) {
	h := history{limit: limit}
	for _, m := range r.History {
		h.add(m)
	}
	status := r.Status
	if r.LastEvent < v.last {
		status = v.base.Status
	}
	v.base = a2a.Task{ID: r.ID, ContextID: r.ContextID, Status: status, History: h.messages, Metadata: r.Metadata}
	v.lost["historyDropped"] = r.Dropped + h.dropped
}
