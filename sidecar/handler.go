package sidecar

import (
	"context"
	"errors"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// handler is what the A2A server hands work to. It decides who does the work,
// the runner or the pipeline, and does none itself. It serves before those two
// are there: only after health.admit has let work in may they be used.
type handler struct {
	*sidecar
	cards *cards
}

var _ a2a.Handler = (*handler)(nil)

// accepted is a task that was found or made for a message, before anything
// happens to it.
type accepted struct {
	task  *task.Task
	start func() error
	// waits says that the task was there, and waits for this message.
	waits bool
}

// stream starts the work and follows it. A new task is followed from its very
// first event on; one that waited, from when it waits no more: its stream would
// end at once otherwise.
func (a *accepted) stream() (a2a.Stream, error) {
	if a.waits {
		if err := a.start(); err != nil {
			return nil, err
		}
		return a.task.Subscribe(), nil
	}
	stream := a.task.Subscribe()
	if err := a.start(); err != nil {
		stream.Close()
		return nil, err
	}
	return stream, nil
}

// SendMessage delivers the message and waits until the task settles.
func (h *handler) SendMessage(ctx context.Context, r *a2a.SendRequest) (*a2a.SendResult, error) {
	a, err := h.begin(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := a.start(); err != nil {
		return nil, err
	}
	if !r.ReturnImmediately {
		if err := a.task.Wait(ctx, settled); err != nil {
			return nil, err
		}
	}
	if reply := a.task.Reply(); reply != nil { // read first: what is waited for then has it
		return &a2a.SendResult{Message: reply}, a.task.Durable(ctx)
	}
	shown, err := a.task.Show(ctx, r.HistoryLength, true)
	if err != nil {
		return nil, err
	}
	return &a2a.SendResult{Task: shown}, nil
}

// StreamMessage delivers the message and returns the task's events.
func (h *handler) StreamMessage(ctx context.Context, r *a2a.SendRequest) (a2a.Stream, error) {
	a, err := h.begin(ctx, r)
	if err != nil {
		return nil, err
	}
	return a.stream()
}

// accept finds who is to handle a message: the open question of its task, a
// task that waits for more, a tool, or the agent.
func (h *handler) accept(ctx context.Context, r *a2a.SendRequest) (*accepted, error) {
	if r.Message.TaskID != "" {
		return h.follow(ctx, r)
	}
	if err := h.health.admit(ctx); err != nil {
		return nil, err
	}
	c, isCall, err := toolCall(r)
	if err != nil {
		return nil, err
	}
	if isCall {
		return h.call(r, c)
	}
	return h.deliver(r)
}

// follow handles a message to a task that exists: an answer to what it asks,
// or its next turn (§3.4.3).
func (h *handler) follow(ctx context.Context, r *a2a.SendRequest) (*accepted, error) {
	t, state, err := h.find(ctx, r.Caller, r.Message.TaskID)
	if err != nil {
		return nil, err
	}
	if r.Message.ContextID != "" && r.Message.ContextID != t.ContextID() {
		return nil, a2a.ErrInvalidParams.With("task %s belongs to context %s, not %s: leave contextId out or send that one",
			t.ID(), t.ContextID(), r.Message.ContextID).At("message.contextId")
	}
	m := r.Message
	m.ContextID = t.ContextID()
	switch {
	case state.Terminal():
		return nil, a2a.ErrUnsupportedOperation.With("task %s has ended (%s): send the message without taskId to start another", t.ID(), state)
	case t.Asking():
		if err := insider(ctx); err != nil {
			return nil, err
		}
		return &accepted{task: t, waits: true, start: func() error { return t.Answer(&m) }}, nil
	case state.Interrupted():
		if err := h.health.admit(ctx); err != nil {
			return nil, err
		}
		return &accepted{task: t, waits: true, start: func() error { return h.runner.Continue(t, &m, beside(r)) }}, nil
	}
	return nil, a2a.ErrUnsupportedOperation.With("task %s is still working: wait until it ends or asks, or cancel it", t.ID())
}

// deliver makes a task of a message for the agent.
func (h *handler) deliver(r *a2a.SendRequest) (*accepted, error) {
	if err := h.runner.Admits(r.Caller); err != nil {
		return nil, err
	}
	contextID, err := h.runner.Context(r.Message.ContextID)
	if err != nil {
		return nil, err
	}
	m := r.Message
	m.ContextID = contextID
	var t *task.Task
	err = h.claim(r.Caller, contextID, func() { t = h.tasks.Create(r.Caller, contextID, &m, r.Metadata) })
	if err != nil {
		return nil, err
	}
	return &accepted{task: t, start: func() error {
		if err := h.runner.Submit(t, beside(r)); err != nil {
			h.tasks.Discard(t)
			return err
		}
		return nil
	}}, nil
}

// beside is what came with the request's message.
func beside(r *a2a.SendRequest) turn.Request {
	return turn.Request{Metadata: r.Metadata, Extensions: r.Extensions, TraceParent: r.TraceParent}
}

// find returns a caller's task and its state, once that is durable: what an answer
// says of it no restart takes back. The task may have gone on meanwhile.
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

// CancelTask asks the task's owner to stop and waits for it, for as long as
// the ladder may take and a second more (§3.1.5). To cancel a task that is canceled
// changes nothing in 1.0 (§3.3.1) and is an error in 0.3 (0.3.0 §8.2).
func (h *handler) CancelTask(ctx context.Context, r *a2a.CancelRequest) (*a2a.Task, error) {
	t, state, err := h.find(ctx, r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	if state.Terminal() && (state != a2a.StateCanceled || r.Version == a2a.V03) {
		return nil, a2a.ErrTaskNotCancelable.With("task %s has ended (%s)", t.ID(), state)
	}
	t.Cancel(task.ErrCanceled)
	limited, stop := context.WithTimeout(ctx, h.Config.CancelGrace+time.Second)
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

// SubscribeTask follows a task that has not ended (§3.1.6). Who comes back to
// one that has ended meanwhile gets the events that it has missed.
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

// Card returns the card as it is now.
func (h *handler) Card() *a2a.Card { return h.cards.current() }

// Tools returns the list as it is now.
func (h *handler) Tools() *a2a.Document { return h.cards.tools() }

// Ready says why new work would be refused.
func (h *handler) Ready() error {
	if err := h.health.refuse(); err != nil {
		return err
	}
	return h.runner.Ready()
}

func settled(s a2a.TaskState) bool { return s.Terminal() || s.Interrupted() }
