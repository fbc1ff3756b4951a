package sidecar_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// callsAndStays is an agent that calls acme.say with each message, until one says bye.
func callsAndStays() int {
	client := client.New(os.Getenv("SIDECAR_URL"), nil)
	client.Header = http.Header{"Authorization": {"Bearer " + os.Getenv("SIDECAR_CHANNEL_TOKEN")}}
	_, err := channel.Dial(context.Background(), os.Getenv("SIDECAR_SOCKET"), os.Getenv("SIDECAR_CHANNEL_TOKEN"), channel.Capabilities{
		OnDeliver: func(ctx context.Context, d channel.Delivery) (channel.Delivered, error) {
			if d.Text == "bye" {
				os.Exit(7)
			}
			r, err := client.CallTool(ctx, &a2a.ToolRequest{Name: "acme.say", Arguments: []byte(`{"text":"` + d.Text + `"}`)})
			if err != nil {
				return channel.Delivered{}, err
			}
			return channel.Delivered{Parts: []a2a.Part{a2a.TextPart(string(r.Envelope))}}, nil
		},
	})
	must(err)
	select {}
}

func staying(t testing.TB) []string { return append([]string{"--"}, agentCommand(t, "stays")...) }

// talk is a conversation of a caller with the agent.
type talk struct {
	*running
	token, context string
}

func (c talk) client() *client.Client { return c.as(c.token) }

// send sends a text and returns the task, which has ended or asks.
func (c talk) send(text string) *a2a.Task {
	c.t.Helper()
	m := userMessage(text)
	m.ContextID = c.context
	result, err := c.client().Send(c.running.context(), &a2a.SendRequest{Message: m})
	if err != nil {
		c.t.Fatal(err)
	}
	return result.Task
}

// asks sends a text, which must be asked about, and answers.
func (c talk) asks(what, text, answer string) {
	c.t.Helper()
	task := c.send(text)
	if task.Status.State != a2a.StateAuthRequired {
		c.t.Errorf("%s: it is not asked for: %s %q", what, task.Status.State, artifact(task, "response"))
		return
	}
	d := c.document(task)
	if got := c.answers("POST", c.token, d, d.Digest, answer); got != "200" {
		c.t.Errorf("%s: %s is answered with %s", what, answer, got)
	}
	await.True(c.t, "it ends", func() bool {
		got, err := c.client().Get(c.running.context(), &a2a.GetRequest{ID: task.ID})
		if err != nil {
			c.t.Fatal(err)
		}
		return got.Status.State.Terminal()
	})
}

// runs sends a text, which must not be asked about.
func (c talk) runs(what, text string) {
	c.t.Helper()
	if task := c.send(text); task.Status.State != a2a.StateCompleted || !strings.Contains(artifact(task, "response"), "said: "+text) {
		c.t.Errorf("%s: %s %q", what, task.Status.State, artifact(task, "response"))
	}
}

// "always" is for one call, of one definition, of one caller in one conversation: all else
// is asked for, and a rule that denies counts more.
func TestAlwaysIsForOneCall(t *testing.T) {
	t.Parallel()
	file, tools := filepath.Join(t.TempDir(), "policy.json"), filepath.Join(t.TempDir(), "tools.json")
	writeFile(t, file, rulesOf("ask", "first", ""))
	writeFile(t, tools, sayTools("says it"))
	r := run(t, append([]string{"--manifest", tools, "--policy", file, "--token-file", writeTokens(t), "--sessions", "4"}, staying(t)...)...)
	one := talk{r, aliceToken, "one"}
	one.asks("the first time", "hello", "always")
	one.runs("the same call again", "hello")
	one.asks("other arguments", "hullo", "reject")
	talk{r, aliceToken, "two"}.asks("another conversation", "hello", "reject")
	talk{r, bobToken, "bobs"}.asks("another caller", "hello", "reject")
	m := userMessage("hello")
	m.ContextID = "one"
	if _, err := r.as(bobToken).Send(r.context(), &a2a.SendRequest{Message: m}); err == nil {
		t.Error("another caller speaks in this conversation")
	}
	if status, said := r.try(bobToken, attempt{http.MethodPost, "/a2a/tools/acme.say", `{"text":"hello"}`}); status == http.StatusOK {
		t.Errorf("another caller's own call: %s", said)
	}

	writeFile(t, tools, sayTools("says it louder"))
	r.untilTools(aliceToken, "louder")
	one.asks("another definition", "hello", "reject")
	writeFile(t, tools, sayTools("says it"))
	r.untilTools(aliceToken, `says it"`)
	one.runs("the definition of before", "hello")
	rules := func(action, reason string) {
		writeFile(t, file, rulesOf(action, reason, ""))
		await.True(t, "the rules", func() bool {
			_, body := r.fetch("GET", aliceToken, "/a2a/policy/explain?tool=acme.say")
			return strings.Contains(body, reason)
		})
	}
	rules("deny", "never")
	if task := one.send("hello"); !strings.Contains(artifact(task, "response"), "never") {
		t.Errorf("a rule that denies: %q", artifact(task, "response"))
	}
	rules("ask", "first")
	one.runs("the rules of before", "hello")
}

// What was answered with "always" is asked for again when the agent of the conversation has
// been started again, and in no other conversation.
func TestAlwaysEndsWithTheSession(t *testing.T) {
	t.Parallel()
	for _, sessions := range []string{"1", "3"} {
		t.Run(sessions, func(t *testing.T) {
			t.Parallel()
			tools := filepath.Join(t.TempDir(), "tools.json")
			writeFile(t, tools, sayTools("says it"))
			r := run(t, append([]string{"--manifest", tools, "--sessions", sessions, "--restart", "always"}, staying(t)...)...)
			one, two := talk{r, "", "one"}, talk{r, "", "two"}
			for _, c := range []talk{one, two} {
				c.asks("the first time in "+c.context, "hello", "always")
				c.runs("the second time in "+c.context, "hello")
			}
			one.send("bye")
			one.asks("after the agent's end", "hello", "reject")
			if sessions == "1" { // it was the agent of both
				two.asks("after the agent's end, in the other conversation", "hello", "reject")
			} else {
				two.runs("in the other conversation", "hello")
			}
		})
	}
}

// A conversation that has been idle for too long has no agent any more, and no answers.
func TestAlwaysEndsWithAnIdleSession(t *testing.T) {
	t.Parallel()
	tools := filepath.Join(t.TempDir(), "tools.json")
	writeFile(t, tools, sayTools("says it"))
	r := run(t, append([]string{"--manifest", tools, "--sessions", "2", "--session-idle", "1s"}, staying(t)...)...)
	one := talk{r, "", "one"}
	one.asks("the first time", "hello", "always")
	await.True(t, "the agent's end", func() bool { return r.agents() == 0 })
	one.asks("after it was idle", "hello", "reject")
}

// agents counts the processes that are agents.
func (r *running) agents() int {
	r.t.Helper()
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	return r.processes(self+"\x00") - 1 // the sidecar itself
}

// A sidecar that has kept its tasks over a restart has forgotten the answers.
func TestAlwaysEndsWithTheSidecar(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	tools := filepath.Join(t.TempDir(), "tools.json")
	writeFile(t, tools, sayTools("says it"))
	for _, agent := range [][]string{staying(t), callsSay(t)} {
		for _, when := range []string{"at first", "after a restart"} {
			r := run(t, append([]string{"--manifest", tools, "--state-dir", state}, agent...)...)
			one := talk{r, "", "one"}
			one.asks(when, "hello", "always")
			one.runs(when+", again", "hello")
			if code := r.stop(); code != 0 && code != 143 {
				t.Errorf("it ended with %d", code)
			}
		}
	}
}
