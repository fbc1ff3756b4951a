package sidecar

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/gate"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// accepted is a task that was found or made for a message, before anything
// happens to it.
type accepted struct {
	task  *task.Task
	start func() error
	// waits reports that the task existed already and waits for this message.
	waits bool
}

// stream starts the work and follows it. A new task is followed from its first event
// on. A task that waited is followed from the moment when it no longer waits: its
// stream would otherwise end at once.
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

// begin accepts a message and gives its task the receiver that came with it,
// before anything happens to it.
func (h *handler) begin(ctx context.Context, r *a2a.SendRequest) (*accepted, error) {
	if r.Push != nil {
		if err := h.sender.Check(r.Push); err != nil {
			return nil, err
		}
	}
	a, err := h.accept(ctx, r)
	if err != nil || r.Push == nil {
		return a, err
	}
	undo, id, err := setPush(a.task, *r.Push)
	if err != nil {
		return nil, err
	}
	start := a.start
	a.start = func() error {
		if err := start(); err != nil {
			undo()
			return err
		}
		h.push.Serve(a.task, id)
		return nil
	}
	return a, nil
}

// accept finds who handles a message: the open question of its task, a task that
// waits for more, a tool, or the agent.
func (h *handler) accept(ctx context.Context, r *a2a.SendRequest) (*accepted, error) {
	if r.Message.TaskID != "" {
		return h.follow(ctx, r)
	}
	if err := h.gate.Enter(ctx); err != nil {
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

// follow handles a message to a task that exists: the answer to its question, or its
// next turn (§3.4.3).
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
		if err := gate.Outsider(ctx); err != nil {
			return nil, err
		}
		return &accepted{task: t, waits: true, start: func() error { return t.Answer(&m) }}, nil
	case state.Interrupted():
		if err := h.gate.Enter(ctx); err != nil {
			return nil, err
		}
		return &accepted{task: t, waits: true, start: func() error { return h.runner.Continue(t, &m, beside(r)) }}, nil
	}
	return nil, a2a.ErrUnsupportedOperation.With("task %s is still working: wait until it ends or asks, or cancel it", t.ID())
}

// deliver makes a task from a message for the agent.
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
	err = h.gate.Create(r.Caller, contextID, func() { t = h.tasks.Create(r.Caller, contextID, &m, r.Metadata) })
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

// beside returns what came with the request's message.
func beside(r *a2a.SendRequest) turn.Request {
	return turn.Request{Metadata: r.Metadata, Extensions: r.Extensions, TraceParent: r.TraceParent}
}
