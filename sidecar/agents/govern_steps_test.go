package agents_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// greetings are the first message.
const greetings = "greetings"

// secretWord is what a file holds that no message may make an agent read.
const secretWord = "wordofthefile"

// untilGoverned sends messages until the agent of a session offers its model our tools.
func (r *rig) untilGoverned(t *testing.T, mode string) {
	t.Helper()
	for range 10 {
		r.ask(t, "", greetings)
		if mode != "pty" || r.model.turns(greetings) > 0 { // turns have tools
			return
		}
	}
}

// onlyOurs reports whether the model is offered our tools, and no others.
func (r *rig) onlyOurs(t *testing.T, a governedAgent) bool {
	t.Helper()
	offered := r.model.request(t, greetings).tools
	var others []string
	for _, o := range offered {
		if !strings.Contains(o.namespace+o.name, "sidecar") && !slices.Contains(a.left, o.name) {
			others = append(others, o.name)
		}
	}
	ok := len(others) == 0
	for _, name := range []string{"read", "write", "edit", "glob", "grep", "bash"} {
		ok = ok && slices.ContainsFunc(offered, func(o tool) bool { return o.is("_"+name) || o.name == name && o.is(name) })
	}
	t.Logf("the model is offered %v", offered)
	if !ok {
		t.Errorf("the model is offered %v; not ours are %q", offered, others)
	}
	return ok
}

// works reports whether the agent reads, edits and runs a command when it is asked to.
func (r *rig) works(t *testing.T) bool {
	t.Helper()
	path := filepath.Join(r.work, "text.txt")
	plant(t, path, "a line that is before\n")
	u := r.ask(t, "", `CALL:read {"file_path":"text.txt"}`)
	ok := u.state == a2a.StateCompleted && strings.Contains(u.text, "TOOLRESULT") && strings.Contains(u.text, "a line that is before")
	if !ok {
		t.Errorf("read: %s: %q; the answer is %q", u.state, u.says(), u.text)
	}
	u = r.ask(t, "", `CALL:edit {"file_path":"text.txt","old_string":"is before","new_string":"is after"}`)
	if got := readAll(t, path); u.state != a2a.StateCompleted || got != "a line that is after\n" {
		ok = false
		t.Errorf("edit: %s: %q; the answer is %q and the file %q", u.state, u.says(), u.text, got)
	}
	u = r.ask(t, "", `CALL:bash {"command":"cat text.txt > ran.txt && echo it ran","description":"copies"}`)
	if got := readAll(t, filepath.Join(r.work, "ran.txt")); u.state != a2a.StateCompleted || !strings.Contains(u.text, "it ran") || got != "a line that is after\n" {
		ok = false
		t.Errorf("bash: %s: %q; the answer is %q and the file %q", u.state, u.says(), u.text, got)
	}
	return ok
}

// isDenied reports whether a call that a rule denies does nothing, and the model is told.
func (r *rig) isDenied(t *testing.T) bool {
	t.Helper()
	u := r.ask(t, "", `CALL:write {"file_path":"denied.txt","content":"x"}`)
	ok := r.modelTold("the test forbids it") && absent(t, filepath.Join(r.work, "denied.txt"))
	if !ok {
		t.Errorf("a call that is denied: %s: %q; the answer is %q", u.state, u.says(), u.text)
	}
	return ok
}

// modelTold reports whether a tool's result with these words has reached the model.
func (r *rig) modelTold(words string) bool {
	r.model.mu.Lock()
	defer r.model.mu.Unlock()
	return slices.ContainsFunc(r.model.seen, func(req *request) bool { return req.result && strings.Contains(req.text, words) })
}

// isAsked reports whether a call runs after its approval over A2A, and not before.
func (r *rig) isAsked(t *testing.T) bool {
	t.Helper()
	path := filepath.Join(r.work, "asks.txt")
	u := r.ask(t, "", `CALL:write {"file_path":"asks.txt","content":"approved"}`)
	if u.state != a2a.StateAuthRequired || !absent(t, path) {
		t.Fatalf("a call that asks: %s: %q; the answer is %q", u.state, u.says(), u.text)
	}
	u.deliver(t, "once")
	u.wait(t)
	ok := u.state == a2a.StateCompleted && readAll(t, path) == "approved"
	if !ok {
		t.Errorf("a call that was allowed: %s: %q; the answer is %q", u.state, u.says(), u.text)
	}
	return ok
}

// refusesOwn reports whether calls of the agent's own tools do nothing.
func (r *rig) refusesOwn(t *testing.T, a governedAgent, mark string) bool {
	t.Helper()
	for _, call := range a.own(mark) {
		u := r.ask(t, "", call)
		t.Logf("%.60s: %s: %.200q", call, u.state, u.text)
	}
	return absent(t, mark)
}

// readsNothing reports whether a file that a message names with @ is not read, and whether the message reaches the model.
func (r *rig) readsNothing(t *testing.T) bool {
	t.Helper()
	plant(t, filepath.Join(r.work, "named.txt"), secretWord)
	u := r.ask(t, "", "look at @named.txt please")
	if u.state != a2a.StateCompleted || !strings.Contains(u.text, "named.txt please") {
		t.Errorf("the task is %s: %q; the answer is %q", u.state, u.says(), u.text)
		return false
	}
	return r.unread(t)
}

// unread reports whether the model was not sent the file with the word.
func (r *rig) unread(t *testing.T) bool {
	t.Helper()
	r.model.mu.Lock()
	defer r.model.mu.Unlock()
	for _, req := range r.model.seen {
		if strings.Contains(req.body, secretWord) {
			t.Errorf("the model was sent the file with %.100q", req.text)
			return false
		}
	}
	return true
}

// takesText reports whether messages that begin like commands of the agent's reach the model as text or are refused with
// words, and nothing of them runs. In other modes than these there is nothing that would take them for commands.
func (r *rig) takesText(t *testing.T, mode string) bool {
	t.Helper()
	if mode != "pty" && mode != "oneshot" {
		return true
	}
	mark, ok := filepath.Join(filepath.Dir(r.work), "typed-ran"), true
	for _, text := range []string{"!touch " + mark, "#remember this note", "/clear it all", "/help", "@named.txt says what"} {
		u := r.ask(t, "", text)
		t.Logf("%.30s: %s: %q %.100q", text, u.state, u.says(), u.text)
		echoed := u.state == a2a.StateCompleted && strings.Contains(u.text, "ECHO: ") && strings.Contains(u.text, text[1:])
		if !echoed && (u.state != a2a.StateRejected || !strings.Contains(u.says(), strconv.Quote(text[:1]))) {
			ok = false
			t.Errorf("%q: %s: %q; the answer is %q", text, u.state, u.says(), u.text)
		}
	}
	return absent(t, mark) && r.unread(t) && ok
}

// guardsHook reports whether a file by which the agent would run a program at its next start is not written.
func (r *rig) guardsHook(t *testing.T, a governedAgent) bool {
	t.Helper()
	mark := filepath.Join(filepath.Dir(r.work), "written-ran")
	path := filepath.Join(filepath.Dir(r.work), a.hook)
	u := r.ask(t, "", "CALL:write "+encode(object{"file_path": path, "content": a.planted(mark)[a.hook]}))
	ok := r.modelTold("a protected path") && absent(t, path)
	if !ok {
		t.Errorf("a hook: %s: %q; the answer is %q", u.state, u.says(), u.text)
	}
	return ok
}

// governedStatus holds the status to telling of no native call.
func (r *rig) governedStatus(t *testing.T) {
	t.Helper()
	doc, err := r.client.Document(t.Context(), "/status")
	if err != nil {
		t.Fatal(err)
	}
	if body := string(doc.Body); !strings.Contains(body, `"governed":{"mode":"on"`) || !strings.Contains(body, `"measured":true`) || !strings.Contains(body, `"nativeCalls":0`) {
		t.Errorf("the status is %s", body)
	}
}

// isRecorded reports whether the audit has what the agent did, by our tools, and what was decided.
func (r *rig) isRecorded(t *testing.T, record string) bool {
	t.Helper()
	ok := true
	for _, part := range []string{`"tool":"core.read"`, `"tool":"core.edit"`, `"tool":"core.bash"`, `"tool":"core.write"`, `"deny"`, `"ask"`, "the test forbids it"} {
		if !strings.Contains(record, part) {
			ok = false
			t.Errorf("the audit has no %s:\n%s", part, record)
		}
	}
	return ok
}

// changedSettings reports whether a file of the user's was changed that the agent does not change by itself.
func (r *rig) changedSettings(t *testing.T, before map[string]file, own habit) bool {
	t.Helper()
	after, bad := snapshot(t, r.home), false
	for name := range changed(before, after) {
		if _, existed := before[name]; existed && !own.changes[name] {
			bad = true
			t.Errorf("%s was changed:\n%s\nto\n%s", name, before[name].text, after[name].text)
		}
	}
	return bad
}

func plant(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func absent(t *testing.T, path string) bool {
	t.Helper()
	if _, err := os.Stat(path); err == nil {
		t.Errorf("%s was made", path)
		return false
	}
	return true
}

// readAll reads a file, or the files whose paths begin so.
func readAll(t *testing.T, path string) string {
	t.Helper()
	var all strings.Builder
	files, _ := filepath.Glob(path + "*")
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}
