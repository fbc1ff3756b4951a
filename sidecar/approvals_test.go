package sidecar_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
)

// sayTools is a manifest of one tool, which says what it is told.
func sayTools(description string) string {
	return `[{"name":"acme.say","description":"` + description + `","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}},
		"x-sidecar":{"bridge":{"exec":{"command":["/bin/echo","said:","{text}"],"output":"text"}}}}]`
}

// callsSay is an agent that calls acme.say with its message.
func callsSay(t testing.TB) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--mode", "oneshot", "--", "sh", "-c", `read -r text; SIDECAR_TOKEN="$SIDECAR_CHANNEL_TOKEN" ` + asSidecar + `=1 "$0" call acme.say "{\"text\":\"$text\"}" 2>&1`, self}
}

// asking is a sidecar whose agent calls a tool, and its manifest.
func asking(t testing.TB, args ...string) (r *running, tools string) {
	t.Helper()
	tools = filepath.Join(t.TempDir(), "tools.json")
	writeFile(t, tools, sayTools("says it"))
	return run(t, append(append([]string{"--manifest", tools}, args...), callsSay(t)...)...), tools
}

// asked sends a message for a caller and returns its task, which waits, and what it asks.
func (r *running) asked(c *client.Client, text string) (*a2a.Task, *approval.Document) {
	r.t.Helper()
	result, err := c.Send(r.context(), &a2a.SendRequest{Message: userMessage(text)})
	if err != nil {
		r.t.Fatal(err)
	}
	return result.Task, r.document(result.Task)
}

// document returns what a task asks.
func (r *running) document(task *a2a.Task) *approval.Document {
	r.t.Helper()
	if task.Status.State != a2a.StateAuthRequired || task.Status.Message == nil {
		r.t.Fatalf("the task does not ask: %+v, %q", task.Status, artifact(task, "response"))
	}
	for _, p := range task.Status.Message.Parts {
		var part map[string]*approval.Document
		if p.Kind == a2a.PartData && json.Unmarshal(p.Data, &part) == nil && part[approval.URI] != nil {
			return part[approval.URI]
		}
	}
	r.t.Fatalf("there is nothing for programs: %+v", task.Status.Message)
	return nil
}

// post answers as a program does, and returns the status and the reason of a refusal.
func (r *running) post(token string, d *approval.Document, digest, option string) string {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.context(), http.MethodPost, r.url+"/a2a/approvals/"+d.ID, strings.NewReader(fmt.Sprintf(`{"digest":%q,"option":%q}`, digest, option)))
	if err != nil {
		r.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	var said struct {
		Error struct{ Details []struct{ Reason string } }
	}
	if err := json.NewDecoder(res.Body).Decode(&said); err != nil {
		r.t.Fatal(err)
	}
	if len(said.Error.Details) > 0 {
		return fmt.Sprint(res.StatusCode, " ", said.Error.Details[0].Reason)
	}
	return fmt.Sprint(res.StatusCode)
}

// dialects are the ways to send a message without a client of one's own: the path, and the
// body that carries a data part to a task.
var approvalDialects = map[string]func(task, data string) (path, body string){
	"1.0 JSON-RPC": func(task, data string) (string, string) {
		return "/", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m-` + task + `","role":"ROLE_USER","taskId":"` + task + `","parts":[{"data":` + data + `}]}}}`
	},
	"1.0 REST": func(task, data string) (string, string) {
		return "/message:send", `{"message":{"messageId":"m-` + task + `","role":"ROLE_USER","taskId":"` + task + `","parts":[{"data":` + data + `}]}}`
	},
	"0.3 JSON-RPC": func(task, data string) (string, string) {
		return "/", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m-` + task + `","role":"user","taskId":"` + task + `","parts":[{"kind":"data","data":` + data + `}]}}}`
	},
	"0.3 REST": func(task, data string) (string, string) {
		return "/v1/message:send", `{"message":{"messageId":"m-` + task + `","role":"ROLE_USER","taskId":"` + task + `","content":[{"data":{"data":` + data + `}}]}}`
	},
}

// An agent's call waits for its client's yes, which comes by a plain request of each
// dialect; the same answer a second time is refused.
func TestApprovalByCurl(t *testing.T) {
	t.Parallel()
	r, _ := asking(t)
	for name, encode := range approvalDialects {
		task, d := r.asked(r.client(), "hello")
		if d.Tool != "acme.say" || string(d.Arguments) != `{"text":"hello"}` || !d.Agent || !strings.Contains(says(task), d.Digest) {
			t.Errorf("%s: asked %+v, people read %q", name, d, says(task))
		}
		path, body := encode(task.ID, fmt.Sprintf(`{%q:{"id":%q,"digest":%q,"option":"once"}}`, approval.URI, d.ID, d.Digest))
		if res := r.do(http.MethodPost, path, "application/json", body); res.status != 200 || !strings.Contains(res.body, "said: hello") {
			t.Errorf("%s: %d %s", name, res.status, res.body)
		}
		if res := r.do(http.MethodPost, path, "application/json", body); !strings.Contains(res.body, "was answered already: once") || strings.Contains(name, "REST") && res.status != 409 {
			t.Errorf("%s, replayed: %d %s", name, res.status, res.body)
		}
	}
}

// Each answer that does not count is refused with its code, and the call runs only after
// one that does.
func TestApprovalIsRefused(t *testing.T) {
	t.Parallel()
	r, tools := asking(t, "--token-file", writeTokens(t))
	alice := r.as(aliceToken)
	task, d := r.asked(alice, "one")
	_, other := r.asked(alice, "two")
	for _, c := range []struct{ what, token, digest, option, want string }{
		{"no caller", "", d.Digest, "once", "401 UNAUTHENTICATED"},
		{"another caller", bobToken, d.Digest, "once", "404 APPROVAL_NOT_FOUND"},
		{"other arguments", aliceToken, other.Digest, "once", "409 APPROVAL_CHANGED"},
		{"no option", aliceToken, d.Digest, "perhaps", "400 INVALID_PARAMS"},
		{"right", aliceToken, d.Digest, "once", "200"},
		{"replayed", aliceToken, d.Digest, "once", "409 APPROVAL_ANSWERED"},
	} {
		if got := r.post(c.token, d, c.digest, c.option); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
	ends := func(task *a2a.Task, want string) {
		t.Helper()
		var got *a2a.Task
		await.True(t, "the task ends", func() bool {
			var err error
			if got, err = alice.Get(r.context(), &a2a.GetRequest{ID: task.ID}); err != nil {
				t.Fatal(err)
			}
			return got.Status.State.Terminal()
		})
		if !strings.Contains(artifact(got, "response"), want) {
			t.Errorf("the agent was told %q, want %q", artifact(got, "response"), want)
		}
	}
	ends(task, "said: one")

	task, d = r.asked(alice, "three")
	writeFile(t, tools, sayTools("says it louder"))
	await.True(t, "the new definition", func() bool {
		doc, err := alice.Tools(r.context())
		return err == nil && strings.Contains(string(doc.Body), "louder")
	})
	if got := r.post(aliceToken, d, d.Digest, "always"); got != "409 APPROVAL_CHANGED" {
		t.Errorf("another definition: %s", got)
	}
	ends(task, "has changed since its call came")
}

// A yes that comes too late is told so.
func TestApprovalExpires(t *testing.T) {
	t.Parallel()
	r, _ := asking(t, "--ask-timeout", "1s")
	_, d := r.asked(r.client(), "hello")
	r.settle(d.TaskID)
	if got := r.post("", d, d.Digest, "once"); got != "410 APPROVAL_EXPIRED" {
		t.Errorf("answered with %s", got)
	}
}

// "always" holds for the same call in the same conversation.
func TestApprovalForAlways(t *testing.T) {
	t.Parallel()
	r, _ := asking(t)
	send := func(text, contextID string) *a2a.Task {
		t.Helper()
		m := userMessage(text)
		m.ContextID = contextID
		result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: m})
		if err != nil {
			t.Fatal(err)
		}
		return result.Task
	}
	first := send("hello", "one")
	if got := r.post("", r.document(first), r.document(first).Digest, "always"); got != "200" {
		t.Fatal(got)
	}
	r.settle(first.ID)
	if again := send("hello", "one"); again.Status.State != a2a.StateCompleted || artifact(again, "response") != "said: hello\n" {
		t.Errorf("the same call again: %s %q", again.Status.State, artifact(again, "response"))
	}
	for what, task := range map[string]*a2a.Task{"other arguments": send("hullo", "one"), "another conversation": send("hello", "two")} {
		if task.Status.State != a2a.StateAuthRequired {
			t.Errorf("%s: %s", what, task.Status.State)
		}
	}
}
