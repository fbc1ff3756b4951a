package task

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// view is a task at one moment: slice headers and immutable values. It is taken
// under the lock and made into an a2a.Task without the lock.
type view struct {
	base      a2a.Task
	artifacts []artifact
	lost      map[string]int
	last      uint64 // the ID of the newest event that it holds
	newest    Commit
	evicted   bool
}

// view returns the task as it is now. mu is held.
func (t *Task) view() view {
	v := view{
		base: a2a.Task{
			ID: t.id, ContextID: t.contextID, Status: t.status,
			History: t.history.messages, Metadata: t.metadata,
		},
		artifacts: make([]artifact, len(t.artifacts.list)),
	}
	for i, a := range t.artifacts.list {
		c := *a
		c.parts = make([]part, len(a.parts))
		for j, p := range a.parts {
			if p.text != nil {
				text := p.text.view()
				p.text = &text
			}
			c.parts[j] = p
		}
		v.artifacts[i] = c
	}
	v.last, v.newest, v.evicted = t.last, t.newest, t.evicted
	v.lost = map[string]int{"historyDropped": t.history.dropped, "artifactsDropped": t.artifacts.dropped}
	return v
}

// cut reports whether the artifacts had more content than memory keeps.
func (v *view) cut() bool {
	return v.lost["artifactsDropped"] > 0 || slices.ContainsFunc(v.artifacts, func(a artifact) bool { return a.truncated })
}

// task builds the snapshot. history is how many of the newest messages it has: nil
// for all, 0 for no list at all (§3.2.4).
func (v *view) task(history *int, artifacts bool) *a2a.Task {
	out := v.base
	if history != nil {
		out.KeepHistory(*history)
	}
	if artifacts {
		out.Artifacts = make([]a2a.Artifact, len(v.artifacts))
		for i := range v.artifacts {
			out.Artifacts[i] = v.artifacts[i].build()
		}
	}
	for key, n := range v.lost {
		if n > 0 {
			out.Metadata = with(out.Metadata, key, json.RawMessage(strconv.Itoa(n)))
		}
	}
	return &out
}

func (a *artifact) build() a2a.Artifact {
	out := a.head
	out.Parts = make([]a2a.Part, len(a.parts))
	for i, p := range a.parts {
		out.Parts[i] = p.Part
		if p.text != nil {
			out.Parts[i].Text = p.text.String()
		}
	}
	if a.truncated {
		out.Metadata = with(out.Metadata, "truncated", json.RawMessage("true"))
		out.Metadata = with(out.Metadata, "totalBytes", json.RawMessage(strconv.FormatInt(a.total, 10)))
	}
	return out
}

// with returns a copy of m with one more member.
func with(m a2a.Metadata, key string, value json.RawMessage) a2a.Metadata {
	c := make(a2a.Metadata, len(m)+1)
	maps.Copy(c, m)
	c[key] = value
	return c
}

// Snapshot returns the task as memory has it now: the newest *history messages (nil
// for all that are kept), and its artifacts if asked for, with neighbouring text
// chunks joined. Nobody writes to the result any more; the caller must not change it
// either, since parts of it are shared. It is not for clients: what it shows may not
// be durable yet, and of a task that is in the store only it has just the state.
func (t *Task) Snapshot(history *int, artifacts bool) *a2a.Task {
	t.mu.Lock()
	v := t.view()
	t.mu.Unlock()
	return v.task(history, artifacts)
}

// Show is Snapshot for a client: it waits until what it returns is durable, so that
// no restart changes what a client has seen. With a store the artifacts are whole,
// up to the larger of Options.KeepBytes and TaskBytes, even if memory keeps only
// their beginning. The error is the cause of ctx's end, or the store's.
func (t *Task) Show(ctx context.Context, history *int, artifacts bool) (*a2a.Task, error) {
	return t.show(ctx, history, artifacts, t.reg.room())
}

// show is Show with up to limit bytes of artifacts from the store.
func (t *Task) show(ctx context.Context, history *int, artifacts bool, limit int64) (*a2a.Task, error) {
	t.mu.Lock()
	v, seen := t.view(), t.seen
	t.mu.Unlock()
	if err := t.reg.durable(ctx, seen); err != nil {
		return nil, err
	}
	return t.build(ctx, &v, history, artifacts, limit)
}
