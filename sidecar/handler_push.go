package sidecar

import (
	"context"
	"errors"
	"slices"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// setPush adds a receiver. undo restores what was there before.
func setPush(t *task.Task, c a2a.PushConfig) (undo func(), id string, err error) {
	if c.ID == "" && c.Version == a2a.V03 {
		c.ID = t.ID() // a later one without an id replaces it, as 0.3's servers do
	}
	if c.TraceParent == "" {
		c.TraceParent = t.TraceParent()
	}
	before, had := findPush(t, c.ID)
	made, err := t.SetPush(c)
	return func() {
		// The errors are those of a task that is gone; its receiver is gone too.
		if had {
			_, _ = t.SetPush(before)
			return
		}
		_ = t.DeletePush(made.ID)
	}, made.ID, err
}

func findPush(t *task.Task, id string) (a2a.PushConfig, bool) {
	all := t.Push()
	i := slices.IndexFunc(all, func(p task.Push) bool { return p.Config.ID == id })
	if i < 0 {
		return a2a.PushConfig{}, false
	}
	return all[i].Config, true
}

// CreatePush adds a receiver to a task, or changes one (§3.1.7). A receiver of a task
// that has ended is told how it ended.
func (h *handler) CreatePush(ctx context.Context, r *a2a.CreatePushRequest) (*a2a.PushConfig, error) {
	t, _, err := h.find(ctx, r.Caller, r.Config.TaskID)
	if err != nil {
		return nil, err
	}
	if err := h.sender.Check(&r.Config); err != nil {
		return nil, err
	}
	_, id, err := setPush(t, r.Config)
	if err != nil {
		return nil, err
	}
	h.push.Serve(t, id)
	made, ok := findPush(t, id)
	if !ok {
		return nil, noPush(t, id) // it was deleted at the same moment
	}
	return &made, t.Durable(ctx)
}

// GetPush returns a receiver (§3.1.8).
func (h *handler) GetPush(ctx context.Context, r *a2a.PushRequest) (*a2a.PushConfig, error) {
	t, _, err := h.find(ctx, r.Caller, r.TaskID)
	if err != nil {
		return nil, err
	}
	id := r.ID
	if id == "" {
		id = t.ID()
	}
	c, ok := findPush(t, id)
	if !ok && r.ID == "" {
		if all := t.Push(); len(all) > 0 {
			c, ok = all[0].Config, true
		}
	}
	if !ok {
		return nil, noPush(t, id)
	}
	return &c, nil
}

func noPush(t *task.Task, id string) error {
	return a2a.ErrTaskNotFound.With("task %s has no push config %q", t.ID(), id)
}

// ListPush returns all receivers of a task (§3.1.9).
func (h *handler) ListPush(ctx context.Context, r *a2a.ListPushRequest) ([]a2a.PushConfig, error) {
	t, _, err := h.find(ctx, r.Caller, r.TaskID)
	if err != nil {
		return nil, err
	}
	var all []a2a.PushConfig
	for _, p := range t.Push() {
		all = append(all, p.Config)
	}
	return all, nil
}

// DeletePush removes a receiver: nothing is sent to it any more (§3.1.10). Removing
// one that is gone is not an error.
func (h *handler) DeletePush(ctx context.Context, r *a2a.PushRequest) error {
	t, _, err := h.find(ctx, r.Caller, r.TaskID)
	if err != nil {
		return err
	}
	if err := t.DeletePush(r.ID); err != nil && !errors.Is(err, a2a.ErrTaskNotFound) {
		return err
	}
	h.push.Stop(t, r.ID)
	return t.Durable(ctx)
}
