package sidecar

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/mcp"
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

// begin finds or makes the task of a message and gives it the receiver that came with
// the message, before anything happens to it.
func (h *handler) begin(ctx context.Context, r *a2a.SendRequest) (a *accepted, err error) {
	token, err := h.takeToken(r)
	if err != nil {
		return nil, err
	}
	if r.Push != nil {
		if err := h.sender.Check(r.Push); err != nil {
			return nil, err
		}
	}
	if r.Message.TaskID != "" {
		a, err = h.follow(ctx, r, token)
	} else if err = h.enter(ctx, r); err == nil {
		a, err = h.create(ctx, r, token)
	}
	if err != nil || r.Push == nil {
		return a, err
	}
	return a, h.pushTo(a, *r.Push)
}

// pushTo gives a task its receiver, which is served once the task has started.
func (h *handler) pushTo(a *accepted, c a2a.PushConfig) error {
	undo, id, err := setPush(a.task, c)
	if err != nil {
		return err
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
	return nil
}

// follow handles a message to a task that exists: the answer to its question, or its
// next turn (§3.4.3).
func (h *handler) follow(ctx context.Context, r *a2a.SendRequest, token string) (*accepted, error) {
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
	if err := h.replies(ctx, r.Caller, &m); err != nil {
		return nil, err
	}
	switch {
	case state.Terminal():
		return nil, a2a.ErrUnsupportedOperation.With("task %s has ended (%s): send the message without taskId to start another", t.ID(), state)
	case t.Asking():
		if err := outsider(ctx); err != nil {
			return nil, err
		}
		return &accepted{task: t, waits: true, start: func() error { return t.Answer(&m) }}, nil
	case state.Interrupted():
		if err := h.gate.Enter(ctx); err != nil {
			return nil, err
		}
		return &accepted{task: t, waits: true, start: func() error { return h.runner.Submit(t, h.beside(t, r, &m, token)) }}, nil
	}
	return nil, a2a.ErrUnsupportedOperation.With("task %s is still working: wait until it ends or asks, or cancel it", t.ID())
}

// create makes a task from a message, for a tool or for the agent.
func (h *handler) create(ctx context.Context, r *a2a.SendRequest, token string) (*accepted, error) {
	c, isCall, err := toolCall(r)
	switch {
	case err != nil:
		return nil, err
	case isCall:
		return h.call(ctx, r, c, token)
	case h.callsOnly:
		return nil, a2a.ErrUnsupportedOperation.With("%s, by a message with a toolCall or POST /a2a/tools/{name}", mcp.ErrMessage)
	}
	if err := h.runner.Admits(r.Caller); err != nil {
		return nil, err
	}
	begin, err := h.works.Accept(&r.Message)
	if err != nil {
		return nil, err
	}
	m := r.Message
	m.ContextID = h.runner.Context(m.ContextID)
	created, err := h.gate.Create(r.Caller, m.ContextID)
	if err != nil {
		return nil, err
	}
	defer created()
	t := h.tasks.Create(r.Caller, m.ContextID, &m, r.Metadata)
	begin(t)
	return &accepted{task: t, start: func() error {
		if err := h.runner.Submit(t, h.beside(t, r, nil, token)); err != nil {
			h.tasks.Discard(t)
			return err
		}
		return nil
	}}, nil
}

// beside returns what came with the request's message; next is the message itself if it
// continues its task.
func (h *handler) beside(t *task.Task, r *a2a.SendRequest, next *a2a.Message, token string) turn.Request {
	return turn.Request{Next: next, Metadata: r.Metadata, Extensions: r.Extensions, TraceParent: r.TraceParent, Begin: h.withToken(t, token)}
}
