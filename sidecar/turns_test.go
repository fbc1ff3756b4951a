package sidecar_test

import (
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// TestAnswerOverAStream: a message that answers a question is streamed to the
// end of the task.
func TestAnswerOverAStream(t *testing.T) {
	t.Parallel()
	r := runWith(t, []string{"SIDECAR=" + asScript(t)}, "--mode", "oneshot", "--", "../examples/shell-agent/agent.sh")
	asked := r.send("cats")
	answer := userMessage("yes")
	answer.TaskID = asked.ID
	var last a2a.TaskState
	for _, e := range r.stream(answer) {
		if s := e.State(); s != "" {
			last = s
		}
	}
	if last != a2a.StateCompleted {
		t.Errorf("the stream ended with %s", last)
	}
}

// TestFurtherTurn: an agent that ends its turn in input-required is continued
// by a message with the task's id, and its second answer is an artifact of its
// own.
func TestFurtherTurn(t *testing.T) {
	t.Parallel()
	r := runWith(t, []string{"SIDECAR=" + asScript(t)}, "--mode", "oneshot", "--", "sh", "-c",
		`read n; echo "heard $n"; if [ "$n" = first ]; then "$SIDECAR" emit done --state input-required "and then?"; fi`)
	task := r.send("first")
	if task.Status.State != a2a.StateInputRequired || says(task) != "and then?" || artifact(task, "response") != "heard first\n" {
		t.Fatalf("%s %q %q", task.Status.State, says(task), artifact(task, "response"))
	}
	next := userMessage("second")
	next.TaskID = task.ID
	result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: next})
	if err != nil {
		t.Fatal(err)
	}
	if got := result.Task; got.Status.State != a2a.StateCompleted || artifact(got, "response-2") != "heard second\n" || artifact(got, "response") != "heard first\n" {
		t.Errorf("%s %+v", got.Status.State, got.Artifacts)
	}
	left := r.send("first")
	watch, err := r.client().Subscribe(r.context(), &a2a.SubscribeRequest{ID: left.ID})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	waiting := r.send("first")
	canceled, err := r.client().Cancel(r.context(), &a2a.CancelRequest{ID: waiting.ID})
	if err != nil || canceled.Status.State != a2a.StateCanceled {
		t.Errorf("canceling a task that waits: %+v, %v", canceled, err)
	}
	// A task that still waits when the sidecar ends is told so.
	r.cmd.Process.Signal(syscall.SIGTERM)
	var last a2a.TaskState
	for _, e := range r.rest(watch) {
		last = e.State()
	}
	if last != a2a.StateFailed {
		t.Errorf("at the end it is %s", last)
	}
}

// TestTraceParent: the trace that a request belongs to reaches the agent, in
// every mode of starting one, and its tools.
func TestTraceParent(t *testing.T) {
	t.Parallel()
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	manifest := writeManifest(t, `[
		{"name":"test.exec","description":"d","inputSchema":{"type":"object"},"x-sidecar":{"bridge":{"exec":{"command":["sh","-c","echo $TRACEPARENT"]}}}},
		{"name":"test.agent","description":"d","inputSchema":{"type":"object"}}]`)
	r := run(t, "--mode", "oneshot", "--manifest", manifest, "--", "sh", "-c", "cat >/dev/null; echo $TRACEPARENT")
	connected := run(t, append([]string{"--deliver", "channel", "--"}, agentCommand(t, "connected")...)...)
	const message = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"trace?"}]}}`
	for url, body := range map[string]string{
		r.url + "/message:send":         message,
		r.url + "/a2a/tools/test.exec":  `{}`,
		r.url + "/a2a/tools/test.agent": `{}`,
		connected.url + "/message:send": message,
	} {
		req, err := http.NewRequestWithContext(r.context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("traceparent", parent)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if !strings.Contains(string(text), parent) {
			t.Errorf("%s: %s", url, text)
		}
	}
}

// TestSharedSession: one agent is one conversation, whatever the contexts, and
// its tasks say so.
func TestSharedSession(t *testing.T) {
	t.Parallel()
	r := run(t, "--prompt-pattern", "ready> $", "--", "sh", "-c", `stty -echo; printf 'ready> '; while read l; do n=$((n+1)); echo "$n $l"; printf 'ready> '; done`)
	first := r.send("one")
	m := userMessage("two")
	m.ContextID = "another"
	result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: m})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(artifact(result.Task, "response")); got != "2 two" || result.Task.ContextID != "another" || string(result.Task.Metadata["sharedSession"]) != "true" {
		t.Errorf("%q in %s: %s", got, result.Task.ContextID, result.Task.Metadata)
	}
	if first.Metadata["sharedSession"] != nil {
		t.Errorf("the session's own context: %s", first.Metadata)
	}
	if next := r.send("three"); next.ContextID != first.ContextID {
		t.Errorf("without a context: %s and %s", first.ContextID, next.ContextID)
	}
}

// TestInterrupt: canceling a turn in a terminal is one Ctrl-C; the agent and
// its session live on.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	r := run(t, "--", "bash", "--norc", "--noprofile", "-i")
	r.send("x=still")
	id := r.begin("sleep 68").ID
	await.True(r.t, "it sleeps", func() bool { return r.processes("sleep", "68") == 1 })
	task, err := r.client().Cancel(r.context(), &a2a.CancelRequest{ID: id})
	if err != nil || task.Status.State != a2a.StateCanceled {
		t.Fatalf("%+v, %v", task, err)
	}
	if r.processes("sleep", "68") != 0 {
		t.Error("the command lives on")
	}
	if got := strings.TrimSpace(artifact(r.send(`echo "$x" here`), "response")); got != "still here" {
		t.Errorf("afterwards %q", got)
	}
}

// TestAgentKeepsToItsArtifacts: what an agent emits, or leaves in its outbox,
// does not take the place of its answer.
func TestAgentKeepsToItsArtifacts(t *testing.T) {
	t.Parallel()
	r := runWith(t, []string{"SIDECAR=" + asScript(t)}, "--mode", "oneshot", "--", "sh", "-c",
		`echo answer; echo note >"$SIDECAR_OUTBOX/response"; echo plan >"$SIDECAR_OUTBOX/plan.txt"; "$SIDECAR" emit artifact --id response --text forged 2>&1`)
	task := r.send("go")
	for id, want := range map[string]string{"outbox/response": "note\n", "plan.txt": "plan\n"} {
		if got := artifact(task, id); got != want {
			t.Errorf("%s is %q", id, got)
		}
	}
	var answer string
	for _, a := range task.Artifacts {
		if a.ID == "response" {
			answer = a.Parts[0].Text
		}
	}
	if !strings.HasPrefix(answer, "answer\n") || !strings.Contains(answer, `"response" is kept`) {
		t.Errorf("the answer is %q", answer)
	}
}
