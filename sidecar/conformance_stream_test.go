package sidecar_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
)

// gated is a script that says "one", waits for the test to open the gate, says
// "two" and does what its argument says.
type gated struct {
	*running
	path string
}

func runGated(t *testing.T, then string) *gated {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	r := runWith(t, []string{"SIDECAR=" + asScript(t)}, "--mode", "oneshot", "--", "sh", "-c",
		`read -r line; if [ "$line" = more ]; then echo heard; exit; fi; echo one; read -r _ < "$0"; echo two; `+then, path)
	return &gated{r, path}
}

// open lets the script go on, which waits at the gate or will.
func (g *gated) open() {
	g.t.Helper()
	f, err := os.OpenFile(g.path, os.O_RDWR, 0) // a reader too: it does not wait for one
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { f.Close() })
	if _, err := f.WriteString("go\n"); err != nil {
		g.t.Fatal(err)
	}
}

// told is what a stream said, event by event.
type told struct {
	t      *testing.T
	stream a2a.Stream
	events []*a2a.Event
}

func (g *gated) subscribe(t *testing.T, id string) *told {
	t.Helper()
	stream, err := g.client().Subscribe(g.context(), &a2a.SubscribeRequest{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stream.Close)
	return &told{t: t, stream: stream}
}

func (g *gated) stream(t *testing.T, m a2a.Message, now bool) *told {
	t.Helper()
	stream, err := g.client().Stream(g.context(), &a2a.SendRequest{Message: m, ReturnImmediately: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stream.Close)
	return &told{t: t, stream: stream}
}

// until reads on until an event is as wanted, which it must be before the
// stream ends.
func (s *told) until(g *gated, what string, ok func(*a2a.Event) bool) {
	s.t.Helper()
	for seen := 0; ; {
		for ; seen < len(s.events); seen++ {
			if ok(s.events[seen]) {
				return
			}
		}
		batch, err := s.stream.Next(g.context())
		s.events = append(s.events, batch...)
		if err != nil && len(batch) == 0 {
			s.t.Fatalf("the stream never said %s: %v, only %s", what, err, s)
		}
	}
}

// toEnd reads what is left, to the end of the stream.
func (s *told) toEnd(g *gated) {
	s.t.Helper()
	for {
		batch, err := s.stream.Next(g.context())
		s.events = append(s.events, batch...)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			s.t.Fatalf("after %s: %v", s, err)
		}
	}
}

func (s *told) String() string {
	var lines []string
	for _, e := range s.events {
		lines = append(lines, string(codec.EncodeEvent(e, a2a.V10)))
	}
	return strings.Join(lines, "\n")
}

func (s *told) last() *a2a.Event { return s.events[len(s.events)-1] }

func chunkOf(text string) func(*a2a.Event) bool {
	return func(e *a2a.Event) bool {
		return e.Artifact != nil && strings.Contains(e.Artifact.Artifact.Parts[0].Text, text)
	}
}

func inState(s a2a.TaskState) func(*a2a.Event) bool {
	return func(e *a2a.Event) bool { return e.State() == s }
}

// §3.1.2: a send stream begins with the task, tells what the agent says while
// it still works, whatever returnImmediately says, and ends with the task.
func TestStreamTellsWhileTheAgentWorks(t *testing.T) {
	t.Parallel()
	g := runGated(t, "")
	for _, now := range []bool{false, true} {
		s := g.stream(t, userMessage("hello\n"), now)
		s.until(g, "one", chunkOf("one"))
		if s.events[0].Task == nil {
			t.Errorf("the first event is no task: %s", s)
		}
		if strings.Contains(s.String(), "two") {
			t.Errorf("the agent was not behind the gate: %s", s)
		}
		g.open()
		s.toEnd(g)
		if !s.last().State().Terminal() || slices.ContainsFunc(s.events[:len(s.events)-1], func(e *a2a.Event) bool { return e.State().Terminal() }) {
			t.Errorf("the stream does not end with its task: %s", s)
		}
	}
}

// §3.5.2, §3.1.6: whoever subscribes gets the task as it is, then the same
// events in the same order as everybody else; who leaves changes nothing for
// the others, nor for the task.
func TestStreamsOfOneTaskAreTheSame(t *testing.T) {
	t.Parallel()
	g := runGated(t, "")
	first := g.stream(t, userMessage("hello\n"), false)
	first.until(g, "one", chunkOf("one"))
	id := first.events[0].Task.ID
	others := []*told{g.subscribe(t, id), g.subscribe(t, id), g.subscribe(t, id)}
	for _, s := range others {
		s.until(g, "a task", func(e *a2a.Event) bool { return e.Task != nil })
		if got := s.events[0].Task; got == nil || got.Status.State != a2a.StateWorking || artifact(got, "response") != "one\n" {
			t.Errorf("a subscriber began with %s", s)
		}
	}
	others[2].stream.Close()
	first.stream.Close()
	g.open()
	for _, s := range others[:2] {
		s.toEnd(g)
		if s.last().State() != a2a.StateCompleted || !slices.ContainsFunc(s.events, chunkOf("two")) {
			t.Errorf("a subscriber was told %s", s)
		}
	}
	if others[0].String() != others[1].String() {
		t.Errorf("two subscribers were told different things:\n%s\n\n%s", others[0], others[1])
	}
	if got := g.get(id); artifact(got, "response") != "one\ntwo\n" {
		t.Errorf("the task is %s %q", got.Status.State, artifact(got, "response"))
	}
	if _, err := g.client().Subscribe(g.context(), &a2a.SubscribeRequest{ID: id}); !errors.Is(err, a2a.ErrUnsupportedOperation) {
		t.Errorf("subscribing to a task that has ended: %v", err)
	}
}

// §3.1.2, §3.1.6: a send stream ends where its task asks; a subscription to the
// task that waits begins with it, stays, and ends with it.
func TestSubscribeToATaskThatAsks(t *testing.T) {
	t.Parallel()
	g := runGated(t, `"$SIDECAR" emit done --state input-required "and then?"`)
	s := g.stream(t, userMessage("hello\n"), false)
	g.open()
	s.toEnd(g)
	if s.last().State() != a2a.StateInputRequired {
		t.Fatalf("the stream ended with %s", codec.EncodeEvent(s.last(), a2a.V10))
	}
	id := s.events[0].Task.ID
	watch := g.subscribe(t, id)
	watch.until(g, "that the task waits", inState(a2a.StateInputRequired))
	if watch.events[0].Task == nil {
		t.Errorf("the subscription began with %s", watch)
	}
	more := userMessage("more\n")
	more.TaskID = id
	if _, err := g.client().Send(g.context(), &a2a.SendRequest{Message: more}); err != nil {
		t.Fatal(err)
	}
	watch.toEnd(g)
	if watch.last().State() != a2a.StateCompleted || !slices.ContainsFunc(watch.events, chunkOf("heard")) {
		t.Errorf("the subscription was told %s", watch)
	}
}

// §7.6.1: a stream stays while its task waits for an authorization, and goes on
// when somebody has sent what it needed.
func TestStreamStaysWhenAuthorizationIsNeeded(t *testing.T) {
	t.Parallel()
	g := runGated(t, `"$SIDECAR" emit done --state auth-required "log in"`)
	s := g.stream(t, userMessage("hello\n"), false)
	g.open()
	s.until(g, "that it needs an authorization", inState(a2a.StateAuthRequired))
	if m := s.last().Status; m == nil || m.Status.Message == nil || m.Status.Message.Parts[0].Text != "log in" {
		t.Errorf("the status does not say what is needed: %s", s)
	}
	more := userMessage("more\n")
	more.TaskID = s.events[0].Task.ID
	if _, err := g.client().Send(g.context(), &a2a.SendRequest{Message: more}); err != nil {
		t.Fatal(err)
	}
	s.toEnd(g)
	if s.last().State() != a2a.StateCompleted || !slices.ContainsFunc(s.events, chunkOf("heard")) {
		t.Errorf("the stream was told %s", s)
	}
}

// §3.1.2, §3.1.5: a cancel is the end of its task's streams too.
func TestStreamsEndWithACancel(t *testing.T) {
	t.Parallel()
	g := runGated(t, "")
	s := g.stream(t, userMessage("hello\n"), false)
	s.until(g, "one", chunkOf("one"))
	id := s.events[0].Task.ID
	watch := g.subscribe(t, id)
	watch.until(g, "a task", func(e *a2a.Event) bool { return e.Task != nil })
	task, err := g.client().Cancel(g.context(), &a2a.CancelRequest{ID: id})
	if err != nil || task.Status.State != a2a.StateCanceled {
		t.Fatalf("%+v, %v", task, err)
	}
	for _, s := range []*told{s, watch} {
		s.toEnd(g)
		if s.last().State() != a2a.StateCanceled {
			t.Errorf("the stream ended with %s", codec.EncodeEvent(s.last(), a2a.V10))
		}
	}
}

// §3.1.1, §3.2.2: returnImmediately answers while the agent still works, and the
// work goes on; without it the answer comes with the end, whole.
func TestReturnImmediately(t *testing.T) {
	t.Parallel()
	g := runGated(t, "")
	begun := g.begin("hello\n")
	if begun.Status.State.Terminal() || begun.ID == "" || begun.ContextID == "" {
		t.Fatalf("at once: %+v", begun)
	}
	g.open()
	if ended := g.settle(begun.ID); ended.Status.State != a2a.StateCompleted || artifact(ended, "response") != "one\ntwo\n" {
		t.Errorf("later: %s %q", ended.Status.State, artifact(ended, "response"))
	}
	g.open() // before the next one comes to it
	if ended := g.send("hello\n"); ended.Status.State != a2a.StateCompleted || artifact(ended, "response") != "one\ntwo\n" {
		t.Errorf("blocking: %s %q", ended.Status.State, artifact(ended, "response"))
	}
}

// §5.1, §5.4: both bindings do the same: their results are equal, and their
// errors are those that the table pairs.
func TestBindingsAreEquivalent(t *testing.T) {
	t.Parallel()
	r := runWith(t, []string{"SIDECAR=" + asScript(t)}, "--mode", "oneshot", "--", "sh", "-c",
		`read -r line; if [ "$line" = ask ]; then "$SIDECAR" emit done --state input-required "which?"; else echo "heard $line"; fi`)
	done, asks := r.send("hello\n").ID, r.send("ask\n").ID
	for _, c := range []struct{ method, params, verb, path string }{
		{"GetTask", `{"id":"` + done + `"}`, "GET", "/tasks/" + done},
		{"GetTask", `{"id":"` + done + `","historyLength":0}`, "GET", "/tasks/" + done + "?historyLength=0"},
		{"GetTask", `{"id":"nothing"}`, "GET", "/tasks/nothing"},
		{"ListTasks", `{}`, "GET", "/tasks"},
		{"ListTasks", `{"status":"TASK_STATE_INPUT_REQUIRED","pageSize":1,"includeArtifacts":true}`, "GET", "/tasks?status=TASK_STATE_INPUT_REQUIRED&pageSize=1&includeArtifacts=true"},
		{"ListTasks", `{"pageSize":0}`, "GET", "/tasks?pageSize=0"},
		{"CancelTask", `{"id":"` + done + `"}`, "POST", "/tasks/" + done + ":cancel"},
		{"CancelTask", `{"id":"` + asks + `"}`, "POST", "/tasks/" + asks + ":cancel"},
		{"CancelTask", `{"id":"nothing"}`, "POST", "/tasks/nothing:cancel"},
		{"SubscribeToTask", `{"id":"` + done + `"}`, "POST", "/tasks/" + done + ":subscribe"},
		{"SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[]}}`, "POST", "/message:send"},
		{"SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","taskId":"` + done + `","parts":[{"text":"x"}]}}`, "POST", "/message:send"},
		{"SendStreamingMessage", `{"message":{"messageId":"m","role":"ROLE_USER","taskId":"nothing","parts":[{"text":"x"}]}}`, "POST", "/message:stream"},
		{"GetExtendedAgentCard", `{}`, "GET", "/extendedAgentCard"},
	} {
		what := c.verb + " " + c.path
		rpc := answerOf(t, r, "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"`+c.method+`","params":`+c.params+`}`)
		body := ""
		if c.verb == "POST" {
			body = c.params
		}
		rest := answerOf(t, r, c.verb, c.path, body)
		switch {
		case rpc.Error == nil && rest.Error == nil:
			if !bytes.Equal(rpc.Result, rest.whole) {
				t.Errorf("%s: JSON-RPC answers\n%s\nREST\n%s", what, rpc.Result, rest.whole)
			}
		case rpc.Error == nil || rest.Error == nil:
			t.Errorf("%s: only one is an error:\n%s\n%s", what, rpc.whole, rest.whole)
		case rpc.Error.Message != rest.Error.Message || rpc.Error.reason() != rest.Error.reason() || rest.Error.Code != rest.status || rest.Error.Code < 400 || rpc.Error.Code >= 0:
			t.Errorf("%s: the errors differ:\n%s\n%s", what, rpc.whole, rest.whole)
		}
	}
}

// answered is an answer of either binding.
type answered struct {
	whole  []byte
	status int
	Result json.RawMessage
	Error  *struct {
		answeredError
		Message string
	}
}

type answeredError struct {
	Code    int
	Data    []map[string]any
	Details []map[string]any
}

// reason is what the ErrorInfo names, from whichever list has it.
func (e *answeredError) reason() string {
	for _, detail := range append(e.Data, e.Details...) {
		if detail["@type"] == "type.googleapis.com/google.rpc.ErrorInfo" {
			return fmt.Sprint(detail["domain"], " ", detail["reason"])
		}
	}
	return "none"
}

func answerOf(t *testing.T, r *running, method, path, body string) answered {
	t.Helper()
	req, err := http.NewRequestWithContext(r.context(), method, r.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("A2A-Version", "1.0")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	a := answered{status: res.StatusCode}
	if a.whole, err = io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	a.whole = bytes.TrimPrefix(a.whole, []byte("data: ")) // an error in place of a stream
	if err := json.Unmarshal(a.whole, &a); err != nil {
		t.Fatalf("%s %s: %v in %s", method, path, err, a.whole)
	}
	return a
}
