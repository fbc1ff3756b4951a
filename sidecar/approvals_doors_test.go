package sidecar_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
)

// answerDoors are the doors for an answer: POST, and a message to the task in each dialect.
func answerDoors() []string { return append(slices.Sorted(maps.Keys(approvalDialects)), "POST") }

// answers gives an answer by a door, and returns its status, or its code in JSON-RPC, and the
// reason of a refusal.
func (r *running) answers(door, token string, d *approval.Document, digest, option string) string {
	r.t.Helper()
	return r.answersBy(door, token, d, fmt.Sprintf(`{%q:{"id":%q,"digest":%q,"option":%q}}`, approval.URI, d.ID, digest, option))
}

func (r *running) answersBy(door, token string, d *approval.Document, data string) string {
	r.t.Helper()
	path, body := "/a2a/approvals/"+d.ID, strings.TrimSuffix(strings.TrimPrefix(data, fmt.Sprintf(`{%q:`, approval.URI)), "}")
	if encode := approvalDialects[door]; encode != nil {
		path, body = encode(d.TaskID, data)
	}
	return codeOf(r.try(token, attempt{http.MethodPost, path, body}))
}

// codeOf returns the status of an answer, or its code in JSON-RPC, and the reason.
func codeOf(status int, body string) string {
	code := fmt.Sprint(status)
	var rpc struct{ Error struct{ Code int } }
	if json.Unmarshal([]byte(body), &rpc) == nil && rpc.Error.Code < 0 {
		code = fmt.Sprint(rpc.Error.Code)
	}
	if found := regexp.MustCompile(`"reason": ?"([A-Z_]+)"`).FindStringSubmatch(body); found != nil {
		return code + " " + found[1]
	}
	return code
}

// refused is how a refusal looks at a door. JSON-RPC of 0.3 has no place for the reason.
func refused(door string, status, code int, reason string) string {
	switch door {
	case "0.3 JSON-RPC":
		return fmt.Sprint(code)
	case "1.0 JSON-RPC":
		return fmt.Sprint(code, " ", reason)
	}
	return fmt.Sprint(status, " ", reason)
}

// untilTools waits until the list of tools has a text.
func (r *running) untilTools(token, want string) {
	r.t.Helper()
	await.True(r.t, "the tools have "+want, func() bool {
		doc, err := r.as(token).Tools(r.context())
		return err == nil && strings.Contains(string(doc.Body), want)
	})
}

// untilEnded waits until a caller's task has ended, and returns what the agent was told.
func (r *running) untilEnded(token, id string) string {
	r.t.Helper()
	var task *a2a.Task
	await.True(r.t, "task "+id+" ends", func() bool {
		var err error
		if task, err = r.as(token).Get(r.context(), &a2a.GetRequest{ID: id}); err != nil {
			r.t.Fatal(err)
		}
		return task.Status.State.Terminal()
	})
	return artifact(task, "response")
}

// What does not count is refused with one code at every door, and what was asked for does
// not run by it.
func TestAnswersThatDoNotCount(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "policy.json")
	writeFile(t, file, rulesOf("ask", "first", ""))
	r, tools := asking(t, "--token-file", writeTokens(t), "--policy", file)
	alice := r.as(aliceToken)
	for i, door := range answerDoors() {
		want := func(what, got, want string) {
			t.Helper()
			t.Logf("| %s | %s | %s |", door, what, got)
			if got != want {
				t.Errorf("%s, %s: %s, want %s", door, what, got, want)
			}
		}
		changed := refused(door, 409, -32004, "APPROVAL_CHANGED")
		_, one := r.asked(alice, "one")
		_, two := r.asked(alice, "two")
		stranger := refused(door, 404, -32001, "TASK_NOT_FOUND")
		if door == "POST" {
			stranger = "404 APPROVAL_NOT_FOUND"
		}
		want("another caller", r.answers(door, bobToken, one, one.Digest, "once"), stranger)
		want("other arguments", r.answers(door, aliceToken, one, two.Digest, "once"), changed)
		want("right", r.answers(door, aliceToken, one, one.Digest, "once"), "200")
		want("replayed", r.answers(door, aliceToken, one, one.Digest, "once"), refused(door, 409, -32004, "APPROVAL_ANSWERED"))
		if said := r.untilEnded(aliceToken, one.TaskID); said != "said: one\n" {
			t.Errorf("%s: the agent was told %q", door, said)
		}
		louder := fmt.Sprint("louder ", i)
		writeFile(t, tools, sayTools(louder))
		r.untilTools(aliceToken, louder)
		want("another definition", r.answers(door, aliceToken, two, two.Digest, "once"), changed)
		if said := r.untilEnded(aliceToken, two.TaskID); !strings.Contains(said, "has changed since its call came") {
			t.Errorf("%s: the agent was told %q", door, said)
		}

		_, three := r.asked(alice, "three")
		next := fmt.Sprint("next ", i)
		writeFile(t, file, rulesOf("ask", next, ""))
		await.True(t, "the rules", func() bool {
			resp, body := r.fetch("GET", aliceToken, "/a2a/policy/explain?tool=acme.say")
			return resp.StatusCode == 200 && strings.Contains(body, next)
		})
		want("another policy", r.answers(door, aliceToken, three, three.Digest, "once"), changed)
		want("the same again", r.answers(door, aliceToken, three, three.Digest, "once"), changed)
		var again *a2a.Task
		await.True(t, "it asks again", func() bool {
			var err error
			if again, err = alice.Get(r.context(), &a2a.GetRequest{ID: three.TaskID}); err != nil {
				t.Fatal(err)
			}
			return again.Status.State == a2a.StateAuthRequired && r.document(again).ID != three.ID
		})
		d := r.document(again)
		want("the answer of before to what is asked now", r.answersBy(door, aliceToken, d,
			fmt.Sprintf(`{%q:{"id":%q,"digest":%q,"option":"once"}}`, approval.URI, d.ID, three.Digest)), changed)
		want("no", r.answers(door, aliceToken, d, d.Digest, "reject"), "200")
		if said := r.untilEnded(aliceToken, three.TaskID); !strings.Contains(said, "was not approved") {
			t.Errorf("%s: the agent was told %q", door, said)
		}
	}
}

// An answer that comes too late is told so at every door, whoever gives it and whatever it is.
func TestAnswersThatComeTooLate(t *testing.T) {
	t.Parallel()
	r, _ := asking(t, "--ask-timeout", "1s", "--token-file", writeTokens(t))
	_, d := r.asked(r.as(aliceToken), "hello")
	if said := r.untilEnded(aliceToken, d.TaskID); !strings.Contains(said, "nobody answered within 1s") {
		t.Errorf("the agent was told %q", said)
	}
	for _, door := range answerDoors() {
		for _, option := range []string{"once", "reject"} {
			if got, want := r.answers(door, aliceToken, d, d.Digest, option), refused(door, 410, -32004, "APPROVAL_EXPIRED"); got != want {
				t.Errorf("%s, %s: %s, want %s", door, option, got, want)
			}
		}
	}
}

// A task's own caller whom the rules do not name gives no answer, at any door: there is no
// such approval for him.
func TestCallerWhoIsNoApprover(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "policy.json")
	writeFile(t, file, rulesOf("ask", "bob decides", `,"approvers":["bob"]`))
	r, _ := asking(t, "--policy", file, "--token-file", writeTokens(t))
	task, d := r.asked(r.as(aliceToken), "hello")
	for _, door := range answerDoors() {
		want := refused(door, 404, -32602, "APPROVAL_NOT_FOUND")
		if got := r.answers(door, aliceToken, d, d.Digest, "once"); got != want {
			t.Errorf("%s: %s, want %s", door, got, want)
		}
		if got := r.answers(door, aliceToken, d, d.Digest, "reject"); got != want {
			t.Errorf("a no, %s: %s, want %s", door, got, want)
		}
	}
	for _, text := range []string{"once", "reject", "always"} {
		body := `{"message":{"messageId":"t","role":"ROLE_USER","taskId":"` + task.ID + `","parts":[{"text":"` + text + `"}]}}`
		if got := codeOf(r.try(aliceToken, attempt{http.MethodPost, "/message:send", body})); got != "404 APPROVAL_NOT_FOUND" {
			t.Errorf("the text %s: %s", text, got)
		}
	}
	for who, token := range map[string]string{"the task's caller": aliceToken, "the one whom the rules name": bobToken} {
		_, list := r.fetch("GET", token, "/a2a/approvals")
		if listed := strings.Contains(list, d.ID); listed != (token == bobToken) {
			t.Errorf("%s is shown %s", who, list)
		}
	}
	if got := r.answers("POST", bobToken, d, d.Digest, "once"); got != "200" {
		t.Errorf("the one whom the rules name: %s", got)
	}
	if said := r.untilEnded(aliceToken, task.ID); said != "said: hello\n" {
		t.Errorf("the agent was told %q", said)
	}
}
