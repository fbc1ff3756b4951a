package sidecar_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/changes"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// undone is an answer of POST /a2a/changes/undo.
type undone struct {
	Task    string            `json:"taskId"`
	Outcome string            `json:"outcome"`
	Error   string            `json:"error"`
	Files   []tool.UndoneFile `json:"files"`
}

// core calls a tool of the sidecar's own, and returns the call's task.
func (r *running) core(token, id, args string) string {
	r.t.Helper()
	reply, err := r.as(token).CallTool(r.context(), &a2a.ToolRequest{Name: id, Arguments: json.RawMessage(args)})
	if err != nil || reply.Status != http.StatusOK {
		r.t.Fatalf("%v %+v", err, reply)
	}
	return reply.TaskID
}

func (r *running) changes(token, query string) (d changes.Document) {
	r.t.Helper()
	doc, err := r.as(token).Document(r.context(), "/a2a/changes"+query)
	if err == nil {
		err = json.Unmarshal(doc.Body, &d)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

func (r *running) undo(token, body string) (u undone, err error) {
	answer, err := r.as(token).Post(r.context(), "/a2a/changes/undo", []byte(body))
	if err == nil {
		err = json.Unmarshal(answer, &u)
	}
	return u, err
}

func hasFile(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s has %q %v, want %q", path, got, err, want)
	}
}

// What a caller's calls have changed is the caller's to see and to take back, also after a restart.
func TestChangesAndUndo(t *testing.T) {
	t.Parallel()
	workspace, state, file := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "policy.json")
	writeFile(t, filepath.Join(workspace, "a.txt"), "one\ntwo\n")
	writeFile(t, file, `{"rules":[{"permission":"*","action":"allow"}],"redact":{"patterns":["sk-[a-z]+"]}}`)
	args := []string{"--mode", "oneshot", "--tools", "core", "--workspace", workspace, "--state-dir", state, "--policy", file, "--token-file", writeTokens(t), "--", "cat"}
	r := run(t, args...)
	edited := r.core(aliceToken, "edit", `{"file_path":"a.txt","old_string":"two","new_string":"2 sk-abc"}`)
	made := r.core(aliceToken, "write", `{"file_path":"d/new","content":"x"}`)
	ran := r.core(aliceToken, "bash", `{"command":"true"}`)
	d := r.changes(aliceToken, "")
	if len(d.Tasks) != 3 || d.Tasks[0].ID != edited || d.Tasks[1].ID != made || d.Tasks[2].ID != ran || !d.Tasks[2].Commands || d.Kept != "disk" {
		t.Fatalf("%+v", d)
	}
	if diff := d.Tasks[0].Files[0].Diff; diff != "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2 [redacted]\n" {
		t.Errorf("%q", diff)
	}
	if d := r.changes(aliceToken, "?task="+made); len(d.Tasks) != 1 || d.Tasks[0].Files[0].Change != "created" {
		t.Errorf("%+v", d)
	}
	if d := r.changes(bobToken, "?task="+made); len(d.Tasks) != 0 {
		t.Errorf("another caller sees %+v", d)
	}
	if _, err := r.undo(bobToken, `{"task":"`+made+`"}`); err == nil || !strings.Contains(err.Error(), changes.ErrNone.Error()) {
		t.Errorf("another caller: %v", err)
	}
	for body, want := range map[string]string{`{}`: "is missing", `{"tsak":"x"}`: "unknown field", `{"task":"` + edited + `","paths":["b"]}`: "no change of a file"} {
		if _, err := r.undo(aliceToken, body); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", body, err)
		}
	}
	r.stop()
	r = run(t, args...)
	u, err := r.undo(aliceToken, `{"task":"`+edited+`","paths":["a.txt"],"dryRun":true}`)
	if err != nil || len(u.Files) != 1 || u.Files[0].Result != tool.UndoRestored {
		t.Errorf("%+v %v", u, err)
	}
	if _, err := r.undo(aliceToken, `{"task":"`+edited+`"} {}`); err == nil || !strings.Contains(err.Error(), "more follows the value") {
		t.Error(err)
	}
	hasFile(t, filepath.Join(workspace, "a.txt"), "one\n2 sk-abc\n")
	if u, err = r.undo(aliceToken, `{"task":"`+edited+`"}`); err != nil || u.Outcome != "final" {
		t.Errorf("%+v %v", u, err)
	}
	hasFile(t, filepath.Join(workspace, "a.txt"), "one\ntwo\n")
	if _, err := r.undo(aliceToken, `{"task":"`+u.Task+`"}`); err != nil {
		t.Error(err)
	}
	hasFile(t, filepath.Join(workspace, "a.txt"), "one\n2 sk-abc\n")
	for name := range r.tools() {
		if strings.HasSuffix(name, "undo") {
			t.Errorf("%s is offered", name)
		}
	}
}

// tools are the names of the tools that anybody is offered.
func (r *running) tools() map[string]bool {
	r.t.Helper()
	doc, err := r.as(aliceToken).EffectiveTools(r.context(), true)
	if err != nil {
		r.t.Fatal(err)
	}
	all := map[string]bool{}
	for _, name := range strings.Split(string(doc.Body), `"`) {
		all[name] = true
	}
	if !all["core.write"] {
		r.t.Fatalf("%s", doc.Body)
	}
	return all
}

// A link in the way is refused before anything is judged by where it leads, and the other files go on; an undo that a rule asks about
// waits.
func TestUndoLinksAndApprovals(t *testing.T) {
	t.Parallel()
	workspace, file := t.TempDir(), filepath.Join(t.TempDir(), "policy.json")
	writeFile(t, file, `{"rules":[{"permission":"undo","action":"ask"},{"permission":"*","action":"allow"}]}`)
	r := run(t, "--mode", "oneshot", "--tools", "core", "--workspace", workspace, "--policy", file, "--token-file", writeTokens(t), "--", "cat")
	r.core(aliceToken, "write", `{"file_path":"a","content":"x"}`)
	link := r.core(aliceToken, "write", `{"file_path":"b","content":"x"}`)
	outside := filepath.Join(t.TempDir(), "outside")
	writeFile(t, outside, "x")
	if err := os.Remove(filepath.Join(workspace, "b")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(workspace, "b")); err != nil {
		t.Fatal(err)
	}
	u, err := r.undo(aliceToken, `{"task":"`+link+`"}`)
	if err != nil || u.Task != "" || len(u.Files) != 1 || u.Files[0].Why != tool.ErrLink.Error() {
		t.Errorf("%+v %v", u, err)
	}
	hasFile(t, outside, "x")
	d := r.changes(aliceToken, "")
	if d.Kept != "memory" {
		t.Errorf("%+v", d)
	}
	if u, err = r.undo(aliceToken, `{"task":"`+d.Tasks[0].ID+`"}`); err != nil || u.Outcome != "waiting" {
		t.Fatalf("%+v %v", u, err)
	}
	hasFile(t, filepath.Join(workspace, "a"), "x")
	if got := r.untilAnswered(aliceToken, u.Task); !slices.Equal(got, []string{"removed"}) {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat(filepath.Join(workspace, "a")); err == nil {
		t.Error("it is still there")
	}
}

// untilAnswered allows an undo that waits, and returns what became of its files.
func (r *running) untilAnswered(token, id string) (results []string) {
	r.t.Helper()
	m := &a2a.Message{ID: a2a.NewID(), TaskID: id, Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("once")}}
	sent, err := r.as(token).Send(r.context(), &a2a.SendRequest{Message: *m})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, a := range sent.Task.Artifacts {
		var e struct{ Data tool.Undone }
		if a.ID == "result" && json.Unmarshal(a.Parts[0].Data, &e) == nil {
			for _, f := range e.Data.Files {
				results = append(results, f.Result)
			}
		}
	}
	return results
}

// The agent's own processes take nothing back.
func TestTheAgentDoesNotUndo(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, "--mode", "oneshot", "--tools", "core", "--workspace", t.TempDir(), "--", "env", asAgent+"=undoer", self)
	if said := artifact(r.send("go"), "response"); !strings.Contains(said, "403") {
		t.Errorf("it was told %q", said)
	}
}

// undoer is an agent that asks its sidecar to take something back, and prints the status of the answer.
func undoer() int {
	resp, err := http.Post(os.Getenv("SIDECAR_URL")+"/a2a/changes/undo", "application/json", strings.NewReader(`{"task":"x"}`))
	must(err)
	defer resp.Body.Close()
	_, err = os.Stdout.WriteString(resp.Status)
	must(err)
	return 0
}
