package sidecar_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// toldStatus is what GET /status answers, as far as the tests read it.
type toldStatus struct {
	State, Reason, Mode string
	Sessions            []struct {
		PID       int
		Other     bool
		ContextID string
		TaskID    string
		Turns     int
		Agent     struct {
			State, Source, Rule, Message string
			Confidence                   float64
		}
	}
	Queue  struct{ Running, Waiting, Limit int }
	Errors []struct{ TaskID, ContextID, Text string }
}

// status is what a token is told, "" for none.
func (r *running) status(token string) (toldStatus, string) {
	r.t.Helper()
	c := r.client()
	if token != "" {
		c = r.as(token)
	}
	doc, err := c.Document(r.context(), "/status")
	if err != nil {
		r.t.Fatal(err)
	}
	var s toldStatus
	if err := json.Unmarshal(doc.Body, &s); err != nil {
		r.t.Fatalf("%v: %s", err, doc.Body)
	}
	return s, string(doc.Body)
}

// Each caller sees its own sessions and what their agents do; of another's only
// that it is there.
func TestStatusOfSessions(t *testing.T) {
	t.Parallel()
	r := run(t, "--sessions", "2", "--token-file", writeTokens(t), "--", "cat")
	s, _ := r.status(aliceToken)
	if s.State != "serving" || s.Mode != "pty" || s.Reason != "" || len(s.Sessions) != 1 || s.Sessions[0].ContextID != "" || s.Sessions[0].Other {
		t.Fatalf("before any message: %+v", s)
	}
	task := r.beginAs(aliceToken, "hello", "alices-context")
	r.untilState(aliceToken, task.ID, a2a.StateCompleted)
	s, body := r.status(aliceToken)
	if len(s.Sessions) != 1 || s.Sessions[0].ContextID != "alices-context" || s.Sessions[0].Turns != 1 || s.Sessions[0].PID == 0 ||
		s.Sessions[0].Agent.State == "" || s.Sessions[0].Agent.Source == "" {
		t.Errorf("alice is told %s", body)
	}
	s, body = r.status(bobToken)
	if len(s.Sessions) != 1 || !s.Sessions[0].Other || strings.Contains(body, "alices-context") || strings.Contains(body, task.ID) {
		t.Errorf("bob is told %s", body)
	}
	_, err := r.client().Document(r.context(), "/status")
	if !errors.Is(err, a2a.ErrUnauthenticated) {
		t.Errorf("nobody is told: %v", err)
	}
}

// Whether the agent was given tools is told, and why not.
func TestStatusOfGivenTools(t *testing.T) {
	t.Parallel()
	for flag, want := range map[string]string{
		"--give-tools=auto": `"givenTools":{"given":false,"server":"sidecar","reason":"cat is not given tools: it is not known how`,
		"--give-tools=off":  "",
	} {
		r := run(t, "--mode", "oneshot", flag, "--", "cat")
		if _, body := r.status(""); !strings.Contains(body, want) || want == "" && strings.Contains(body, "givenTools") {
			t.Errorf("%s: %s, want %s", flag, body, want)
		}
	}
}

// A turn that runs shows with its task, and those that wait are counted.
func TestStatusOfABusyAgent(t *testing.T) {
	t.Parallel()
	r := run(t, append([]string{"--"}, "sh", "-c", "read line; read line; echo done")...)
	first := r.begin("hello") // no answer comes
	r.untilStateOf(first.ID, a2a.StateWorking)
	waits := r.begin("and this")
	await.True(r.t, "one turn runs, one waits", func() bool {
		s, _ := r.status("")
		return s.Queue.Running == 1 && s.Queue.Waiting == 1 && s.Queue.Limit == 100 && len(s.Sessions) == 1 &&
			s.Sessions[0].TaskID == first.ID && s.Sessions[0].Agent.State == "working"
	})
	for _, id := range []string{waits.ID, first.ID} {
		if _, err := r.client().Cancel(r.context(), &a2a.CancelRequest{ID: id}); err != nil {
			t.Error(err)
		}
	}
}

// The last errors are those of the caller's own tasks.
func TestStatusOfErrors(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--token-file", writeTokens(t), "--", "sh", "-c", "exit 3")
	for range 7 {
		task := r.beginAs(aliceToken, "hello", "alices-context")
		r.untilState(aliceToken, task.ID, a2a.StateFailed)
	}
	s, body := r.status(aliceToken)
	if len(s.Errors) != 5 || s.Errors[0].ContextID != "alices-context" || !strings.Contains(s.Errors[0].Text, "3") || len(s.Sessions) != 0 {
		t.Errorf("alice is told %s", body)
	}
	if s, body := r.status(bobToken); len(s.Errors) != 0 || strings.Contains(body, "alices-context") {
		t.Errorf("bob is told %s", body)
	}
}

// untilStateOf is untilState where callers are not known.
func (r *running) untilStateOf(id string, state a2a.TaskState) {
	r.t.Helper()
	await.True(r.t, string(state), func() bool { return r.get(id).Status.State == state })
}
