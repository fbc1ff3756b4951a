package turn

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// finishQueued ends a task that never ran.
func finishQueued(t *task.Task, cause error) {
	state, text := a2a.StateCanceled, "canceled before it started"
	switch {
	case errors.Is(cause, task.ErrDraining):
		state, text = a2a.StateRejected, "not started: the sidecar is shutting down"
	case errors.Is(cause, task.ErrDeadline):
		state, text = a2a.StateFailed, "not started: timed out in the queue"
	}
	// If this fails, somebody else has finished the task before.
	_ = t.Finish(state, says(t, a2a.TextPart(text)), nil)
}

// decide weighs what the driver saw against what the turn was asked to do: cancel
// beats done, and done beats everything else.
func (t *turn) decide(ctx context.Context, o driver.Outcome) driver.Outcome {
	asked := context.Cause(t.task.Context())
	said := t.Outcome()
	switch {
	case errors.Is(asked, task.ErrCanceled):
		o = driver.Outcome{State: a2a.StateCanceled, Metadata: o.Metadata}
	case errors.Is(asked, ErrNative):
		o = driver.Failed(asked)
	case said != nil:
		o.State, o.Text, o.Parts, o.Message = doneState(said), said.Text, said.Parts, said.Message
		o.Extras = driver.Extras{Metadata: said.Metadata, Extensions: said.Extensions}
	case o.Complete:
	case errors.Is(asked, task.ErrDraining):
		o.State, o.Text = a2a.StateFailed, "shutting down"
	case errors.Is(context.Cause(ctx), task.ErrDeadline):
		o.State, o.Text = a2a.StateFailed, "timed out"
		switch {
		case asked != nil && asked != task.ErrDeadline: // it says more
			o.Text = "timed out: " + asked.Error()
		case t.r.o.TurnTimeout > 0 && asked == nil:
			o.Text = "timed out after " + t.r.o.TurnTimeout.String()
		}
	}
	return o
}

// doneState returns the state that a done asks for.
func doneState(d *channel.Done) a2a.TaskState {
	if d.State == "" {
		return a2a.StateCompleted
	}
	return d.State
}

// settle writes the turn's end into the task. After that, the runner does not touch
// the task any more.
func (t *turn) settle(o driver.Outcome) {
	t.Close()
	meta := a2a.Metadata{}
	maps.Copy(meta, t.notes)
	maps.Copy(meta, o.Metadata)
	for k, v := range meta {
		t.task.SetMetadata(k, v) // for clients that only look at the task
	}
	if err := t.write(o, meta.With(o.Extras.Metadata)); err != nil && !errors.Is(err, task.ErrFinished) {
		t.log().Error("the turn could not be settled", "error", err)
	}
	took := time.Since(t.began)
	t.r.o.Observer.TurnEnded(o.State, took)
	// This does not use log, which makes a logger: most turns end without anybody
	// looking.
	t.r.o.Log.LogAttrs(t.task.Context(), slog.LevelDebug, "turn ended", slog.String("task", t.task.ID()), slog.String("context", t.task.ContextID()),
		slog.Any("state", o.State), slog.Int64("duration_ms", took.Milliseconds()))
}

// unexplained is the text of a task that waits for an authorization if its agent
// did not say for which: the task has to say something (§7.6.1).
const unexplained = "the agent needs an authorization before it can go on, and did not say which"

// write makes the outcome the task's state. The parts of a completed turn are its
// answer, and already in the artifact. In any other state, the parts explain that
// state; what a task says while it waits is a part of the history.
func (t *turn) write(o driver.Outcome, meta a2a.Metadata) error {
	if o.Message && o.State == a2a.StateCompleted {
		return t.task.FinishMessage(o.Extras.OnMessage(says(t.task, a2a.WithText(o.Parts, o.Text)...)))
	}
	var parts []a2a.Part
	if o.State != a2a.StateCompleted {
		parts = o.Parts
	}
	var m *a2a.Message
	parts = a2a.WithText(parts, o.Text)
	if len(parts) == 0 && o.State == a2a.StateAuthRequired {
		parts = []a2a.Part{a2a.TextPart(unexplained)}
	}
	if len(parts) > 0 {
		m = o.Extras.OnMessage(says(t.task, parts...))
	}
	if o.State.Terminal() {
		return t.task.Finish(o.State, m, meta)
	}
	if m != nil {
		if err := t.task.AddMessage(*m); err != nil {
			return err
		}
	}
	return t.task.Status(o.State, m, meta)
}

// says returns a message of the agent in a task.
func says(t *task.Task, parts ...a2a.Part) *a2a.Message {
	return &a2a.Message{ID: a2a.NewID(), ContextID: t.ContextID(), TaskID: t.ID(), Role: a2a.RoleAgent, Parts: parts}
}
