package unseen_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// turn is a message and what has come back for it.
type turn struct {
	r         *rig
	task      string
	contextID string
	sent      time.Time // the newest message
	ended     time.Time // when the newest state was seen
	state     a2a.TaskState
	said      *a2a.Message // with it
	meta      a2a.Metadata
	parts     map[string]string
	order     []string
}

// question is what a program asks, if it offers options.
type question struct {
	Question string
	Options  []struct{ ID, Label string }
}

func (r *rig) begin() *turn { return &turn{r: r, parts: map[string]string{}} }

// send sends a message of the turn and follows it until it has ended or asks.
func (u *turn) send(text string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	u.state, u.said, u.sent = "", nil, time.Now()
	stream, err := u.r.client.Stream(ctx, &a2a.SendRequest{Message: a2a.Message{
		ID: a2a.NewID(), Role: a2a.RoleUser, TaskID: u.task, ContextID: u.contextID, Parts: []a2a.Part{a2a.TextPart(text)},
	}})
	if err != nil {
		return err
	}
	defer stream.Close()
	for !u.state.Terminal() && !u.state.Interrupted() {
		events, err := stream.Next(ctx)
		if errors.Is(err, io.EOF) {
			return errors.New("the stream has ended")
		} else if err != nil {
			return err
		}
		for _, e := range events {
			u.take(e)
		}
	}
	return nil
}

// cancel stops the task, so that the next message has a chance.
func (u *turn) cancel() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if u.task != "" && !u.state.Terminal() {
		_, _ = u.r.client.Cancel(ctx, &a2a.CancelRequest{ID: u.task}) // the step has failed already
	}
}

func (u *turn) take(e *a2a.Event) {
	switch {
	case e.Task != nil:
		u.task, u.contextID = e.Task.ID, e.Task.ContextID
		for _, a := range e.Task.Artifacts {
			u.artifact(&a, false)
		}
		u.status(e.Task.Status, e.Task.Metadata)
	case e.Status != nil:
		u.status(e.Status.Status, e.Status.Metadata)
	case e.Artifact != nil:
		u.artifact(&e.Artifact.Artifact, e.Artifact.Append)
	}
}

func (u *turn) status(s a2a.Status, meta a2a.Metadata) {
	u.state, u.said, u.meta, u.ended = s.State, s.Message, meta, time.Now()
}

func (u *turn) artifact(a *a2a.Artifact, more bool) {
	if !strings.HasPrefix(a.Name, "response") && !strings.HasPrefix(a.ID, "response") {
		return // stderr
	}
	if _, known := u.parts[a.ID]; !known {
		u.order = append(u.order, a.ID)
	}
	if !more {
		u.parts[a.ID] = ""
	}
	for _, p := range a.Parts {
		u.parts[a.ID] += p.Text
	}
}

// answer is the text so far.
func (u *turn) answer() string {
	var text strings.Builder
	for _, id := range u.order {
		text.WriteString(u.parts[id])
	}
	return text.String()
}

// asks is what the newest state says, and the options that it offers.
func (u *turn) asks() (text string, q question) {
	if u.said == nil {
		return "", q
	}
	for _, p := range u.said.Parts {
		text += p.Text
		var offered question
		if p.Kind == a2a.PartData && json.Unmarshal(p.Data, &offered) == nil && len(offered.Options) > 0 {
			q = offered
		}
	}
	return text, q
}

// choice is what answers a question: the option of that name, or the words.
func (q question) choice(reply string) string {
	for _, o := range q.Options {
		if strings.EqualFold(o.Label, reply) || o.ID == reply {
			return o.ID
		}
	}
	return reply
}

func (q question) labels() []string {
	labels := make([]string, 0, len(q.Options))
	for _, o := range q.Options {
		labels = append(labels, o.Label)
	}
	return labels
}
