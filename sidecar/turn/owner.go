package turn

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

var _ channel.Owner = (*turn)(nil)

// live fails once the turn is over: what an agent says late is refused, not
// lost in silence.
func (t *turn) live() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return channel.ErrEnded
	}
	return nil
}

// end makes the turn deaf.
func (t *turn) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
}

// heard notes that the agent speaks for itself: its silence elsewhere then
// means nothing.
func (t *turn) heard() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.vocal = true
}

// Speaks implements driver.Turn.
func (t *turn) Speaks() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.vocal
}

// Status implements channel.Owner.
func (t *turn) Status(s channel.Status) error {
	if err := t.live(); err != nil {
		return err
	}
	t.heard()
	var m *a2a.Message
	if parts := withText(s.Parts, s.Text); len(parts) > 0 || len(s.Extensions) > 0 {
		m = says(t.task, parts...)
		m.Metadata, m.Extensions = s.Metadata, s.Extensions
	}
	var meta a2a.Metadata
	if s.Progress != nil {
		meta = a2a.Metadata{"progress": driver.JSON(*s.Progress)}
	}
	state := a2a.StateWorking
	if t.task.Asking() {
		state = a2a.StateInputRequired // an open question stays open
	}
	return late(t.task.Status(state, m, meta.With(s.Metadata)))
}

// Artifact implements channel.Owner.
func (t *turn) Artifact(ctx context.Context, u a2a.ArtifactUpdate) error {
	if err := t.live(); err != nil {
		return err
	}
	t.heard()
	if reserved(u.Artifact.ID) {
		return channel.ErrInvalidParams.With("artifactId: %q is kept for what the sidecar takes from the agent's output; choose another", u.Artifact.ID)
	}
	if u.Artifact.ID == "" {
		u.Artifact.ID = a2a.NewID()
	}
	return late(t.task.Artifact(ctx, u))
}

// reserved reports whether an artifact's id is one of the turns' own: response,
// stderr, or those of a later turn.
func reserved(id string) bool {
	if base, n, ok := strings.Cut(id, "-"); ok {
		if _, err := strconv.Atoi(n); err == nil {
			id = base
		}
	}
	return id == "response" || id == "stderr"
}

// Ask implements channel.Owner.
func (t *turn) Ask(ctx context.Context, q channel.Question) (channel.Answer, error) {
	if err := t.live(); err != nil {
		return channel.Answer{}, err
	}
	t.heard()
	if t.r.o.Headless {
		return channel.Answer{}, channel.ErrNobody
	}
	def(&q.Timeout, t.r.o.AskTimeout)
	options := make([]task.Option, len(q.Options))
	for i, o := range q.Options {
		options[i] = task.Option{ID: o.ID, Label: o.Label}
	}
	a, err := t.task.Ask(ctx, task.Question{
		Text: q.Text, Parts: q.Parts, Options: options, State: a2a.StateInputRequired, Timeout: q.Timeout,
		Metadata: q.Metadata, Extensions: q.Extensions,
	})
	switch {
	case errors.Is(err, task.ErrQuestionOpen):
		return channel.Answer{}, channel.ErrQuestionOpen
	case errors.Is(err, task.ErrTimeout):
		return channel.Answer{}, channel.ErrTimeout
	case err != nil:
		return channel.Answer{}, late(err)
	}
	return answered(a), nil
}

// answered is an answer as the agent gets it.
func answered(a task.Answer) channel.Answer {
	out := channel.Answer{Text: a.Text, OptionID: a.OptionID}
	if m := a.Message; m != nil {
		out.Parts, out.Metadata, out.Extensions = m.Parts, m.Metadata, m.Extensions
	}
	return out
}

// Done implements channel.Owner. The first one counts.
func (t *turn) Done(d channel.Done) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return channel.ErrEnded
	}
	if t.said != nil {
		return channel.ErrEnded.With("the turn was already ended by an earlier done")
	}
	t.said = &d
	t.done()
	return nil
}

// lastWord is the done that the agent said, nil when it did not.
func (t *turn) lastWord() *channel.Done {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.said
}

// Usage implements channel.Owner.
func (t *turn) Usage(u channel.Usage) error {
	if err := t.live(); err != nil {
		return err
	}
	noteUsage(spec.Usage{Input: u.InputTokens, Output: u.OutputTokens, Cost: u.CostUSD, Model: u.Model}, t.task)
	return nil
}

// late tells the agent that its task has ended, where that was the reason.
func late(err error) error {
	if errors.Is(err, task.ErrFinished) {
		return channel.ErrEnded
	}
	return err
}
