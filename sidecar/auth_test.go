package sidecar_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

const (
	aliceToken = "alice-0123456789abcdef"
	bobToken   = "bob-0123456789abcdef"
)

// writeTokens is a token file of alice and bob.
func writeTokens(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(path, []byte("alice:"+aliceToken+"\nbob:"+bobToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// as is our own client for a token, "" for none.
func (r *running) as(token string) *client.Client {
	c := r.client()
	if token == "" {
		return c
	}
	c.Header = http.Header{"Authorization": {"Bearer " + token}}
	return c
}

// attempt is one way to touch a task.
type attempt struct {
	method, path, body string
}

// attempts are all operations on a task that waits for an answer, over one
// binding and version. Each stands in the order in which its owner can do them
// all; the keys say what is done.
func attempts(dialect, task, contextID, push string) (names []string, all map[string]attempt) {
	all = map[string]attempt{}
	add := func(name, method, path, body string) {
		names = append(names, name)
		all[name] = attempt{method, path, body}
	}
	rpc := func(name, method, params string) {
		add(name, "POST", "/", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`)
	}
	id := `{"id":"` + task + `"}`
	const hook = `"url":"http://127.0.0.1:1/hook"`
	switch dialect {
	case "JSON-RPC 1.0":
		message := `{"message":{"messageId":"m","taskId":"` + task + `","role":"ROLE_USER","parts":[{"text":"hello"}]}}`
		rpc("get", "GetTask", id)
		rpc("push create", "CreateTaskPushNotificationConfig", `{"taskId":"`+task+`","id":"`+push+`",`+hook+`}`)
		rpc("push get", "GetTaskPushNotificationConfig", `{"taskId":"`+task+`","id":"`+push+`"}`)
		rpc("push list", "ListTaskPushNotificationConfigs", `{"taskId":"`+task+`"}`)
		rpc("push delete", "DeleteTaskPushNotificationConfig", `{"taskId":"`+task+`","id":"`+push+`"}`)
		rpc("subscribe", "SubscribeToTask", id)
		rpc("answer in a stream", "SendStreamingMessage", message)
		rpc("answer", "SendMessage", message)
		rpc("cancel", "CancelTask", id)
	case "JSON-RPC 0.3":
		message := `{"message":{"kind":"message","messageId":"m","taskId":"` + task + `","role":"user","parts":[{"kind":"text","text":"hello"}]}}`
		config := `{"taskId":"` + task + `","pushNotificationConfig":{"id":"` + push + `",` + hook + `}}`
		named := `{"id":"` + task + `","pushNotificationConfigId":"` + push + `"}`
		rpc("get", "tasks/get", id)
		rpc("push create", "tasks/pushNotificationConfig/set", config)
		rpc("push get", "tasks/pushNotificationConfig/get", named)
		rpc("push list", "tasks/pushNotificationConfig/list", id)
		rpc("push delete", "tasks/pushNotificationConfig/delete", named)
		rpc("subscribe", "tasks/resubscribe", id)
		rpc("answer in a stream", "message/stream", message)
		rpc("answer", "message/send", message)
		rpc("cancel", "tasks/cancel", id)
	case "REST 1.0", "REST 0.3":
		root, content := "", "parts"
		config := `{"id":"` + push + `",` + hook + `}`
		if dialect == "REST 0.3" {
			root, content = "/v1", "content"
			config = `{"configId":"` + push + `","config":{"pushNotificationConfig":{"id":"` + push + `",` + hook + `}}}`
		}
		message := `{"message":{"messageId":"m","taskId":"` + task + `","role":"ROLE_USER","` + content + `":[{"text":"hello"}]}}`
		at := root + "/tasks/" + task
		add("get", "GET", at, "")
		add("push create", "POST", at+"/pushNotificationConfigs", config)
		add("push get", "GET", at+"/pushNotificationConfigs/"+push, "")
		add("push list", "GET", at+"/pushNotificationConfigs", "")
		add("push delete", "DELETE", at+"/pushNotificationConfigs/"+push, "")
		add("subscribe", "GET", at+":subscribe", "")
		add("answer in a stream", "POST", root+"/message:stream", message)
		add("answer", "POST", root+"/message:send", message)
		add("cancel", "POST", at+":cancel", "{}")
	}
	return names, all
}

// lists are the ways to list tasks, of a context where it is given.
func lists(contextID string) map[string]attempt {
	query, params := "", "{}"
	if contextID != "" {
		query, params = "?contextId="+contextID, `{"contextId":"`+contextID+`"}`
	}
	return map[string]attempt{
		"JSON-RPC 1.0": {"POST", "/", `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":` + params + `}`},
		"JSON-RPC 0.3": {"POST", "/", `{"jsonrpc":"2.0","id":1,"method":"tasks/list","params":` + params + `}`},
		"REST 1.0":     {"GET", "/tasks" + query, ""},
		"REST 0.3":     {"GET", "/v1/tasks" + query, ""},
	}
}

// try makes an attempt with a token. A stream that goes on is cut off behind its
// first event: it was let in.
func (r *running) try(token string, a attempt) (int, string) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, a.method, r.url+a.path, strings.NewReader(a.body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatalf("%s %s: %v", a.method, a.path, err)
	}
	defer res.Body.Close()
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		first := make([]byte, 64<<10)
		n, _ := io.ReadAtLeast(res.Body, first, 1)
		return res.StatusCode, string(first[:n])
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// refusal reports whether an answer says that something went wrong.
func refusal(status int, body string) bool {
	return status >= 300 || strings.Contains(body, `"error":{`)
}

func (r *running) beginAs(token, text, contextID string) *a2a.Task {
	r.t.Helper()
	m := userMessage(text)
	m.ContextID = contextID
	result, err := r.as(token).Send(r.context(), &a2a.SendRequest{Message: m, ReturnImmediately: true})
	if err != nil {
		r.t.Fatal(err)
	}
	return result.Task
}

func (r *running) untilState(token, id string, state a2a.TaskState) {
	r.t.Helper()
	await.True(r.t, string(state), func() bool {
		task, err := r.as(token).Get(r.context(), &a2a.GetRequest{ID: id})
		return err == nil && task.Status.State == state
	})
}

// runTwoCallers is a sidecar with an actor, for alice and bob.
func runTwoCallers(t testing.TB, args ...string) *running {
	agent := append([]string{"--", "env", actorDrive + "=oneshot", actorVoice + "=channel"}, agentCommand(t, "actor")[1:]...)
	args = append([]string{"--mode", "oneshot", "--token-file", writeTokens(t), "--push-allow-private", "--max-concurrency", "20"}, args...)
	return run(t, append(args, agent...)...)
}

// §13.1: nobody can read, list, cancel, subscribe to, configure push on,
// continue or answer somebody else's task, over any binding and version: what he
// is told is what he is told of a task that does not exist.
func TestTwoCallers(t *testing.T) {
	t.Parallel()
	for _, store := range []string{"memory", "disk"} {
		t.Run(store, func(t *testing.T) {
			var args []string
			if store == "disk" {
				args = []string{"--state-dir", t.TempDir()}
			}
			r := runTwoCallers(t, args...)
			for i, dialect := range []string{"JSON-RPC 1.0", "JSON-RPC 0.3", "REST 1.0", "REST 0.3"} {
				contextID := fmt.Sprintf("of-alice-%d", i)
				asking := r.beginAs(aliceToken, "ask", contextID)
				r.untilState(aliceToken, asking.ID, a2a.StateInputRequired)
				ended := r.beginAs(aliceToken, "end "+string(a2a.StateCompleted), contextID+"-b")
				r.untilState(aliceToken, ended.ID, a2a.StateCompleted)
				hook := a2a.NewID()
				for _, victim := range []*a2a.Task{asking, ended} {
					r.mustNotExist(dialect, victim, hook)
				}
				names, own := attempts(dialect, asking.ID, contextID, hook)
				for _, name := range names {
					if name == "answer" {
						continue // the stream before has answered
					}
					status, body := r.try(aliceToken, own[name])
					if ended := name == "cancel" && strings.Contains(body, " ended "); refusal(status, body) && !ended {
						t.Errorf("%s: alice's %s: %d %s", dialect, name, status, body)
					}
				}
				await.True(r.t, "alice's task ends", func() bool {
					task, err := r.as(aliceToken).Get(r.context(), &a2a.GetRequest{ID: asking.ID})
					return err == nil && task.Status.State.Terminal()
				})
			}
			r.mustListNothing()
			r.mustNotJoin("of-alice-0")
		})
	}
}

// The one session is its first caller's. Others are told to come again and how each gets a
// session, whatever context they name, and nothing is made for them.
func TestSessionOfAnotherCaller(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "lines", "--token-file", writeTokens(t), "--", "cat")
	r.untilState(aliceToken, r.beginAs(aliceToken, "hello", "").ID, a2a.StateWorking)
	for _, contextID := range []string{"", "of-bob"} {
		message := `{"message":{"messageId":"m","contextId":"` + contextID + `","role":"ROLE_USER","parts":[{"text":"hello"}]}}`
		status, body := r.try(bobToken, attempt{"POST", "/message:send", message})
		if status != http.StatusTooManyRequests || !strings.Contains(body, "--sessions") {
			t.Errorf("in context %q: %d %s", contextID, status, body)
		}
	}
	if status, body := r.try(bobToken, attempt{"GET", "/tasks", ""}); status != 200 || !strings.Contains(body, `"totalSize":0`) {
		t.Errorf("%d %s", status, body)
	}
}

// mustNotExist holds every answer that bob gets of alice's task to what he gets
// of one that nobody has.
func (r *running) mustNotExist(dialect string, victim *a2a.Task, hook string) {
	r.t.Helper()
	nobodys := a2a.NewID()
	names, touch := attempts(dialect, victim.ID, victim.ContextID, hook)
	_, miss := attempts(dialect, nobodys, victim.ContextID, hook)
	for _, name := range names {
		status, body := r.try(bobToken, touch[name])
		wantStatus, want := r.try(bobToken, miss[name])
		body, want = strings.ReplaceAll(body, victim.ID, "ID"), strings.ReplaceAll(want, nobodys, "ID")
		if status != wantStatus || body != want || !refusal(status, body) {
			r.t.Errorf("%s: bob's %s of alice's task: %d %s\nof nobody's: %d %s", dialect, name, status, body, wantStatus, want)
		}
	}
	task, err := r.as(aliceToken).Get(r.context(), &a2a.GetRequest{ID: victim.ID})
	if err != nil || task.Status.State.Terminal() && strings.Contains(says(task), "cancel") {
		r.t.Errorf("%s: alice's task after that: %+v %v", dialect, task, err)
	}
}

// mustListNothing: bob has no tasks, in all and in alice's context; alice has.
func (r *running) mustListNothing() {
	r.t.Helper()
	for _, contextID := range []string{"", "of-alice-0"} {
		for dialect, a := range lists(contextID) {
			for token, empty := range map[string]bool{bobToken: true, aliceToken: false} {
				status, body := r.try(token, a)
				if status != 200 || strings.Contains(body, "of-alice") == empty || strings.Contains(body, `"totalSize":0`) != empty {
					r.t.Errorf("%s lists %q of context %q: %d %s", dialect, token, contextID, status, body)
				}
			}
		}
	}
}

// mustNotJoin: a context of alice's takes no message of bob's, be it for the
// agent or for a tool.
func (r *running) mustNotJoin(contextID string) {
	r.t.Helper()
	for _, part := range []a2a.Part{a2a.TextPart("tell"), a2a.DataPart(json.RawMessage(`{"toolCall":{"name":"no.tool","arguments":{}}}`))} {
		m := userMessage("x")
		m.ContextID, m.Parts = contextID, []a2a.Part{part}
		params := a2a.Params{Extensions: []string{"urn:a2a-sidecar:tool-call:v1"}}
		if _, err := r.as(bobToken).Send(r.context(), &a2a.SendRequest{Params: params, Message: m}); err == nil || !strings.Contains(err.Error(), "contextId is not available") {
			r.t.Errorf("bob in alice's context: %v", err)
		}
		if _, err := r.as(aliceToken).Send(r.context(), &a2a.SendRequest{Params: params, Message: m}); err != nil {
			r.t.Errorf("alice in her own context: %v", err)
		}
	}
}

// Missing, wrong and rotated tokens, over a whole sidecar.
func TestTokensOfASidecar(t *testing.T) {
	t.Parallel()
	tokens := writeTokens(t)
	r := run(t, "--mode", "oneshot", "--token-file", tokens, "--", "cat")
	get := attempt{"GET", "/tasks", ""}
	for token, want := range map[string]int{"": 401, "wrong-0123456789abcdef": 401, aliceToken: 200} {
		if status, body := r.try(token, get); status != want {
			t.Errorf("%q: %d %s", token, status, body)
		}
	}
	for path, want := range map[string]int{"/metrics": 401, "/a2a/tools": 401, "/": 401, "/readyz": 200, "/.well-known/agent-card.json": 200} {
		if got := r.getPath(path); got.status != want {
			t.Errorf("%s without a token: %d %s", path, got.status, got.body)
		}
	}
	const rotated = "alice-rotated-0123456789"
	if err := os.WriteFile(tokens, []byte("alice:"+rotated+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	await.True(r.t, "the new token is taken", func() bool { status, _ := r.try(rotated, get); return status == 200 })
	for _, token := range []string{aliceToken, bobToken} {
		if status, body := r.try(token, get); status != 401 {
			t.Errorf("a token that was taken away: %d %s", status, body)
		}
	}
	if strings.Contains(r.log.String(), "0123456789") {
		t.Error("the log tells a token")
	}
}

// A caller has so many tasks that have not ended, and all have.
func TestLimitOfTasks(t *testing.T) {
	t.Parallel()
	r := runTwoCallers(t, "--caller-requests", "2", "--max-requests", "3")
	first := r.beginAs(aliceToken, "hold", "")
	for range 3 {
		r.beginAs(aliceToken, "hold", "")
	}
	send := func(token, text string) error {
		_, err := r.as(token).Send(r.context(), &a2a.SendRequest{Message: userMessage(text), ReturnImmediately: true})
		return err
	}
	if err := send(aliceToken, "hold"); err == nil || !strings.Contains(err.Error(), "this caller has 4 tasks") {
		t.Errorf("a fifth task of alice: %v", err)
	}
	if got, body := r.try(aliceToken, attempt{"POST", "/a2a/tools/no.tool", "{}"}); got != 429 {
		t.Errorf("a call of alice: %d %s", got, body)
	}
	r.beginAs(bobToken, "hold", "")
	r.beginAs(bobToken, "hold", "")
	if err := send(bobToken, "hold"); err == nil || !strings.Contains(err.Error(), "the sidecar has 6 tasks") {
		t.Errorf("a seventh task in all: %v", err)
	}
	if _, err := r.as(aliceToken).Cancel(r.context(), &a2a.CancelRequest{ID: first.ID}); err != nil {
		t.Fatal(err)
	}
	if err := send(aliceToken, "end "+string(a2a.StateCompleted)); err != nil {
		t.Errorf("in the place of one that has ended: %v", err)
	}
}

// What the agent remembers of a context is its caller's also when none of its
// tasks is kept any more: nobody else's message resumes it.
func TestThreadsOfTwoCallers(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--token-file", writeTokens(t), "--state-dir", t.TempDir(), "--keep-bytes", "64KiB", "--retain-bytes", "100KiB",
		"--thread-id-arg-create", "--new", "--thread-id-arg-resume", "--resume", "--", "sh", "-c", `echo "$@"`, "sh")
	first := r.beginAs(aliceToken, "x", "of-alice")
	r.untilState(aliceToken, first.ID, a2a.StateCompleted)
	await.True(r.t, "alice's task is forgotten", func() bool {
		other := r.beginAs(bobToken, "x", "of-bob")
		r.untilState(bobToken, other.ID, a2a.StateCompleted)
		_, err := r.as(aliceToken).Get(r.context(), &a2a.GetRequest{ID: first.ID})
		return err != nil
	})
	r.mustNotJoin("of-alice")
}

// A token that the agent can read makes it every caller: the start refuses the
// file where the agent has a user of its own.
func TestTokenFileIsKeptFromTheAgent(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root to run the agent as another user")
	}
	dir, err := os.MkdirTemp("", "tokens") // others can search it, unlike t.TempDir's
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "tokens")
	if err := os.WriteFile(path, []byte("alice:"+aliceToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.Chmod(dir, 0o755), os.Chmod(path, 0o644)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"--mode", "oneshot", "--user", "64001:64001", "--workspace", dir, "--token-file", path, "--", "cat"}
	r := startOnly(t, nil, args...)
	if code := r.wait(); code != 125 || !strings.Contains(r.log.String(), "the agent's user 64001 can read it") {
		t.Errorf("exit %d:\n%s", code, r.log)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	r = run(t, args...)
	if strings.Contains(r.log.String(), "can read its tokens") {
		t.Errorf("a warning about a file that is kept:\n%s", r.log)
	}
	r.stop()
	r = run(t, "--mode", "oneshot", "--token-file", path, "--", "cat")
	r.log.Says(t, "can read its tokens")
}
