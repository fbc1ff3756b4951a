package sidecar_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
)

// followerAllowed starts a sidecar around the agent that does what its message says; its rules allow whatever it calls.
func followerAllowed(t *testing.T, args ...string) *running {
	t.Helper()
	policy := filepath.Join(t.TempDir(), "policy.json")
	writeFile(t, policy, `{"rules":[{"permission":"*","action":"allow"},{"permission":"shell.run","action":"allow"}]}`)
	args = append([]string{"--mode", "oneshot", "--sandbox", "off", "--policy", policy, "--manifest", writeManifest(t, tools), "--workspace", t.TempDir()}, args...)
	return run(t, append(append(args, "--"), agentCommand(t, "follower")...)...)
}

// ordered is a message with an order of the extension.
func ordered(m a2a.Message, order string) a2a.Message {
	m.Metadata = a2a.Metadata{delegation.URI: json.RawMessage(order)}
	return m
}

// sendMessage sends a message and waits for its task's end.
func (r *running) sendMessage(m a2a.Message) *a2a.Task {
	r.t.Helper()
	result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: m})
	if err != nil {
		r.t.Fatal(err)
	}
	return r.settle(result.Task.ID)
}

const denyEcho = `{"depth":1,"maxDepth":3,"deny":[{"rules":[{"permission":"test.echo","action":"deny","reason":"not in my name"}]}]}`

// What a message forbids holds for all calls of its task, and for those of no other.
func TestDelegatedRules(t *testing.T) {
	t.Parallel()
	r := followerAllowed(t)
	const denied = `you may not call \"test.echo\": not in my name, by the rules that came with the task`
	script := userMessage("test.echo {\"value\":\"a\"}\ntest.fail {}")
	if said := artifact(r.sendMessage(ordered(script, denyEcho)), "response"); !strings.Contains(said, denied) || !strings.Contains(said, "broken pipe dream") {
		t.Errorf("the agent's calls: %s", said)
	}
	if said := artifact(r.sendMessage(userMessage("test.echo {\"value\":\"a\"}")), "response"); !strings.Contains(said, `"type":"output"`) {
		t.Errorf("a task without the order: %s", said)
	}
	env := resultOf(t, r.sendMessage(ordered(toolMessage("test.echo", `{"value":"a"}`), denyEcho)))
	if !strings.Contains(env.ErrorText, "not in my name") {
		t.Errorf("the client's own call: %+v", env)
	}
	_, err := r.client().Send(r.context(), &a2a.SendRequest{Message: ordered(userMessage("say x"), `{"depth":1,"maxDepth":1,"deny":[{"rules":[{"permission":"?"}]}]}`)})
	if err == nil || !strings.Contains(err.Error(), delegation.URI+": deny/0:1:") {
		t.Errorf("rules that cannot be read: %v", err)
	}
}

// A budget denies the calls that follow, and ends the turn when its time is over.
func TestBudget(t *testing.T) {
	t.Parallel()
	r := followerAllowed(t, "--budget", "calls=2,cost=1,time=1m")
	echo := "test.echo {\"value\":\"a\"}\n"
	done := r.sendMessage(userMessage(echo + echo + echo))
	said := artifact(done, "response")
	const used = "the task's budget of 2 tool calls is used up: go on without tools, and say what is left to do"
	if strings.Count(said, `"type":"output"`) != 2 || !strings.Contains(said, used) {
		t.Errorf("three calls: %s", said)
	}
	if n, _ := delegation.ReadNote(done.Metadata); n.Calls != 2 {
		t.Errorf("the task says %s", done.Metadata[delegation.URI])
	}
	if said := artifact(r.sendMessage(userMessage("cost 1.5\n"+echo)), "response"); !strings.Contains(said, "the task's budget of 1 USD is used up") {
		t.Errorf("a call after the cost: %s", said)
	}
	late := r.sendMessage(ordered(userMessage("hang"), `{"depth":1,"maxDepth":1,"budget":{"timeMs":300}}`))
	if late.Status.State != a2a.StateFailed || says(late) != "timed out: the task's budget of 300ms is used up" {
		t.Errorf("after its time: %s %q", late.Status.State, says(late))
	}
}
