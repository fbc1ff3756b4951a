package agents_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// turn is a message and what has come back for it.
type turn struct {
	r      *rig
	stream a2a.Stream
	cancel context.CancelFunc

	sent      time.Time
	task      string
	contextID string
	state     a2a.TaskState
	states    []a2a.TaskState // each one that came after another
	said      *a2a.Message    // with the last state
	meta      a2a.Metadata    // of the last state
	text      string          // of the response
	parts     map[string]string
	order     []string
	chunks    []chunk
	ended     time.Time
}

// chunk is a piece of the answer, and when it came.
type chunk struct {
	at   time.Time
	text string
}

// question is what an agent asks before it does something.
type question struct {
	Question string
	Detail   string
	Options  []struct{ ID, Label, Kind string }
}

// option is the first of that kind, "" for none.
func (q *question) option(kind string) string {
	for _, o := range q.Options {
		if o.Kind == kind {
			return o.ID
		}
	}
	return ""
}

// begin sends a message in a context, "" for the sidecar's own.
func (r *rig) begin(t *testing.T, contextID, text string) *turn {
	t.Helper()
	u := &turn{r: r, contextID: contextID, parts: map[string]string{}}
	u.deliver(t, text)
	return u
}

// deliver sends a message of the turn.
func (u *turn) deliver(t *testing.T, text string) {
	t.Helper()
	if err := u.open(t, text); err != nil {
		t.Fatalf("the message was not taken: %v", err)
	}
}

// open is deliver, with an error for a message that is not taken.
func (u *turn) open(t *testing.T, text string) (err error) {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	u.sent, u.cancel, u.state = time.Now(), cancel, ""
	u.stream, err = u.r.client.Stream(ctx, &a2a.SendRequest{Message: a2a.Message{
		ID: a2a.NewID(), Role: a2a.RoleUser, TaskID: u.task, ContextID: u.contextID, Parts: []a2a.Part{a2a.TextPart(text)},
	}})
	return err
}

// until follows the turn until ok says so or the turn has ended or asks.
func (u *turn) until(t *testing.T, ok func() bool) {
	t.Helper()
	if err := u.follow(deadline, ok); err != nil {
		t.Fatalf("%v; the task is %s, it says %q (%s), the answer so far is:\n%s\nthe screen is:\n%s", err, u.state, u.says(), encode(u.meta), u.text, u.r.screen())
	}
}

// follow is until with a limit, whose end is an error.
func (u *turn) follow(limit time.Duration, ok func() bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for !ok() && !u.state.Terminal() && !u.state.Interrupted() {
		events, err := u.stream.Next(ctx)
		if errors.Is(err, io.EOF) {
			return errors.New("the stream has ended")
		} else if err != nil {
			return err
		}
		for _, e := range events {
			u.take(e)
		}
	}
	if u.state.Terminal() || u.state.Interrupted() {
		u.stream.Close()
		u.cancel()
	}
	return nil
}

// wait follows the turn until it has ended or asks.
func (u *turn) wait(t *testing.T) {
	t.Helper()
	u.until(t, func() bool { return false })
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
	u.state, u.said, u.meta = s.State, s.Message, meta
	if n := len(u.states); n == 0 || u.states[n-1] != s.State {
		u.states = append(u.states, s.State)
	}
	if s.State.Terminal() {
		u.ended = time.Now()
	}
}

func (u *turn) artifact(a *a2a.Artifact, more bool) {
	if !strings.HasPrefix(a.Name, "response") && !strings.HasPrefix(a.ID, "response") {
		return // stderr
	}
	var text strings.Builder
	for _, p := range a.Parts {
		text.WriteString(p.Text)
	}
	if _, known := u.parts[a.ID]; !known {
		u.order = append(u.order, a.ID)
	}
	if !more {
		u.parts[a.ID] = ""
	}
	u.parts[a.ID] += text.String()
	u.text = ""
	for _, id := range u.order {
		u.text += u.parts[id]
	}
	u.chunks = append(u.chunks, chunk{time.Now(), text.String()})
}

// says is the text of the last state.
func (u *turn) says() string {
	if u.said == nil {
		return ""
	}
	var text strings.Builder
	for _, p := range u.said.Parts {
		text.WriteString(p.Text)
	}
	return text.String()
}

// question is what the task asks.
func (u *turn) question(t *testing.T) *question {
	t.Helper()
	for _, p := range u.said.Parts {
		var q question
		if p.Kind == a2a.PartData && json.Unmarshal(p.Data, &q) == nil && len(q.Options) > 0 {
			return &q
		}
	}
	t.Fatalf("the task is %s and asks nothing: %q\n%s", u.state, u.says(), u.r.screen())
	return nil
}

// ask sends a message and returns the turn when it has ended or asks.
func (r *rig) ask(t *testing.T, contextID, text string) *turn {
	t.Helper()
	u := r.begin(t, contextID, text)
	u.wait(t)
	return u
}

// answered fails the test unless the turn is completed with exactly that text;
// with another text it goes on.
func (u *turn) answered(t *testing.T, want string) {
	t.Helper()
	if u.state != a2a.StateCompleted {
		t.Fatalf("the task is %s: %q (%s); the answer is:\n%s\nthe screen is:\n%s", u.state, u.says(), encode(u.meta), u.text, u.r.screen())
	}
	if u.text != want {
		t.Errorf("the answer is\n%.1500q\nand the model said\n%.1500q\n(%s)", u.text, want, encode(u.meta))
	}
}
