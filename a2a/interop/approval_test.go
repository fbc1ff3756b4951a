package interop

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
)

// approvalKey is the extension's, and the key of the data part that asks and answers.
const approvalKey = "urn:a2a-sidecar:approval:v1"

// serveAsking serves an agent that calls a tool with the message as its argument, which
// waits for a yes in the task of the turn.
func serveAsking(t *testing.T) string {
	t.Helper()
	tools := filepath.Join(t.TempDir(), "tools.json")
	manifest := `[{"name":"acme.say","description":"says it","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},
		"x-sidecar":{"bridge":{"exec":{"command":["/bin/echo","said:","{text}"],"output":"text"}}}}]`
	if err := os.WriteFile(tools, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	return serve(t, "--mode", "oneshot", "--manifest", tools, "--", "sh", "-c",
		`read -r text; "$SIDECAR" call acme.say "{\"text\":\"$text\"}" 2>&1`)
}

// asking sends a message whose turn waits for a yes, and returns the task and what it
// asks.
func asking(t *testing.T, client *a2aclient.Client) (*a2a.Task, map[string]any) {
	t.Helper()
	result, err := client.SendMessage(t.Context(), message("hello"))
	if err != nil {
		t.Fatal(err)
	}
	task, ok := result.(*a2a.Task)
	if !ok || task.Status.State != a2a.TaskStateAuthRequired || task.Status.Message == nil {
		t.Fatalf("the task does not wait for a yes: %+v", result)
	}
	parts := task.Status.Message.Parts
	if text := parts[0].Text(); !strings.Contains(text, "acme.say") || !strings.Contains(text, `{"text":"hello"}`) {
		t.Errorf("people are asked %q", text)
	}
	for _, p := range parts {
		if data, ok := p.Data().(map[string]any); ok {
			if asked, ok := data[approvalKey].(map[string]any); ok {
				return task, asked
			}
		}
	}
	t.Fatalf("there is no part for programs: %+v", parts)
	return nil, nil
}

func reply(task *a2a.Task, part *a2a.Part) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessageForTask(a2a.MessageRoleUser, task.TaskInfo(), part)}
}

// answered is the part that answers what was asked.
func answered(asked map[string]any, option string) *a2a.Part {
	return a2a.NewDataPart(map[string]any{approvalKey: map[string]any{"id": asked["id"], "digest": asked["digest"], "option": option, "reason": "not today"}})
}

// TestApproval: an agent's call waits for its client's yes, which comes by each of the ways
// that there are.
func TestApproval(t *testing.T) {
	base := serveAsking(t)
	forEach(t, func(t *testing.T, d dialect) {
		client := dial(t, base, d)
		for _, c := range []struct {
			what  string
			reply func(task *a2a.Task, asked map[string]any) *a2a.SendMessageRequest
			want  string
		}{
			{"an option's name", func(task *a2a.Task, _ map[string]any) *a2a.SendMessageRequest {
				return reply(task, a2a.NewTextPart("once"))
			}, "said: hello"},
			{"a data part", func(task *a2a.Task, asked map[string]any) *a2a.SendMessageRequest {
				return reply(task, answered(asked, "once"))
			}, "said: hello"},
			{"a no", func(task *a2a.Task, asked map[string]any) *a2a.SendMessageRequest {
				return reply(task, answered(asked, "reject"))
			}, "not today"},
		} {
			task, asked := asking(t, client)
			result, err := client.SendMessage(t.Context(), c.reply(task, asked))
			if err != nil {
				t.Fatalf("%s: %v", c.what, err)
			}
			if ended := result.(*a2a.Task); !ended.Status.State.Terminal() || !strings.Contains(answer(ended), c.want) && !strings.Contains(fmt.Sprint(ended.Status.Message), c.want) {
				t.Errorf("%s: the task is %s and says %q", c.what, ended.Status.State, answer(ended))
			}
			if _, err := client.SendMessage(t.Context(), reply(task, answered(asked, "once"))); err == nil {
				t.Errorf("%s: a second answer was taken", c.what)
			}
		}
	})
}

// TestApprovalOverHTTP: what a client was asked in A2A is answered by POST, once, and only
// with the digest of what was asked.
func TestApprovalOverHTTP(t *testing.T) {
	base := serveAsking(t)
	client := dial(t, base, dialects[0])
	task, asked := asking(t, client)
	at := base + "/a2a/approvals/" + asked["id"].(string)
	post := func(digest any) int {
		t.Helper()
		body, err := json.Marshal(map[string]any{"digest": digest, "option": "once"})
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.Post(at, "application/json", strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	for _, step := range []struct {
		what   string
		digest any
		status int
	}{{"another digest", "sha256:0", 409}, {"the digest", asked["digest"], 200}, {"again", asked["digest"], 409}} {
		if got := post(step.digest); got != step.status {
			t.Errorf("%s: %d, want %d", step.what, got, step.status)
		}
	}
	for _, err := range client.SubscribeToTask(t.Context(), &a2a.SubscribeToTaskRequest{ID: task.ID}) {
		if err != nil {
			break // it has ended before
		}
	}
	last, err := client.GetTask(t.Context(), &a2a.GetTaskRequest{ID: task.ID})
	if err != nil || last.Status.State != a2a.TaskStateCompleted || !strings.Contains(answer(last), "said: hello") {
		t.Errorf("the task ended as %+v, %v", last, err)
	}
}
