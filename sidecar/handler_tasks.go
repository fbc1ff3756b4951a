package sidecar

import (
	"context"
	"errors"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// find returns a caller's task and its state after that state is durable, so that no
// restart takes back what an answer says. The task may have gone on meanwhile.
func (h *handler) find(ctx context.Context, caller, id string) (*task.Task, a2a.TaskState, error) {
	t, err := h.tasks.Get(caller, id)
	if err != nil {
		return nil, "", err
	}
	state := t.State()
	return t, state, t.Durable(ctx)
}

// GetTask returns a snapshot.
func (h *handler) GetTask(ctx context.Context, r *a2a.GetRequest) (*a2a.Task, error) {
	t, err := h.tasks.Get(r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	return t.Show(ctx, r.HistoryLength, true)
}

// ListTasks returns one page.
func (h *handler) ListTasks(ctx context.Context, r *a2a.ListRequest) (*a2a.TaskList, error) {
	return h.tasks.List(ctx, r)
}

// CancelTask asks the task's owner to stop and waits for it, at most for the stop
// ladder and one second more (§3.1.5). Canceling a task that is canceled changes
// nothing in 1.0 (§3.3.1) and is an error in 0.3 (0.3.0 §8.2).
func (h *handler) CancelTask(ctx context.Context, r *a2a.CancelRequest) (*a2a.Task, error) {
	t, state, err := h.find(ctx, r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	if state.Terminal() && (state != a2a.StateCanceled || r.Version == a2a.V03) {
		return nil, a2a.ErrTaskNotCancelable.With("task %s has ended (%s)", t.ID(), state)
	}
	t.Cancel(task.ErrCanceled)
	limited, stop := context.WithTimeout(ctx, h.cancelGrace+time.Second)
	defer stop()
	if err := t.Wait(limited, a2a.TaskState.Terminal); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	if state = t.State(); !state.Terminal() || state == a2a.StateCanceled {
		return t.Show(ctx, nil, true)
	}
	if err := t.Durable(ctx); err != nil {
		return nil, err
	}
	return nil, a2a.ErrTaskNotCancelable.With("task %s ended (%s) before it could be canceled", t.ID(), state)
}

// SubscribeTask follows a task that has not ended (§3.1.6). A client that comes back
// to a task that has ended meanwhile gets the events that it missed.
func (h *handler) SubscribeTask(ctx context.Context, r *a2a.SubscribeRequest) (a2a.Stream, error) {
	t, state, err := h.find(ctx, r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	if state.Terminal() && r.After == 0 {
		return nil, a2a.ErrUnsupportedOperation.With("task %s has ended (%s): get it instead", t.ID(), state)
	}
	return t.SubscribeAfter(r.After), nil
}

func settled(s a2a.TaskState) bool { return s.Terminal() || s.Interrupted() }
