package agents_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// commandCharacters: a message never becomes a command of the agent's own.
func commandCharacters(t *testing.T, r *rig) {
	for _, text := range []string{"/help", "!touch by-command.txt"} {
		u := r.ask(t, "", text)
		t.Logf("%q: the task is %s: %q", text, u.state, u.says())
		switch u.state {
		case a2a.StateRejected:
			if u.says() == "" {
				t.Errorf("%q was rejected without a reason", text)
			}
		case a2a.StateCompleted:
			if n := r.model.turns(text); n != 1 {
				t.Errorf("the model got %q %d times", text, n)
			}
		default:
			t.Errorf("%q: the task is %s: %q", text, u.state, u.says())
		}
	}
	if r.exists("by-command.txt") {
		t.Error("a message ran a command past the model")
	}
	r.ask(t, "", "after the commands").answered(t, "ECHO: after the commands")
}

// controlCharacters are not typed, and the client is told.
func controlCharacters(t *testing.T, r *rig) {
	u := r.ask(t, "", "one\x1b[201~two\x00three\u009bfour")
	want := "one[201~twothreefour"
	u.answered(t, "ECHO: "+want)
	if n := r.model.turns(want); n != 1 {
		t.Errorf("the model got it %d times", n)
	}
	if _, told := u.meta["stripped"]; !told {
		t.Errorf("the task does not say that something was left out: %s", encode(u.meta))
	}
}

// secondMessage waits while the first one's question is open, and is never
// typed into it.
func secondMessage(t *testing.T, r *rig) {
	first, q := r.shell(t, "asked.txt")
	second := r.begin(t, first.contextID, "1 while it asks")
	second.until(t, func() bool { return second.task != "" })
	if r.exists("asked.txt") {
		t.Error("the message answered the question")
	}
	first.deliver(t, q.option("reject_once"))
	first.wait(t)
	second.wait(t)
	second.answered(t, "ECHO: 1 while it asks")
	if r.exists("asked.txt") {
		t.Error("the command was denied and ran")
	}
}

// TestStartDialog: a message is never typed into a dialog. Its error says what
// is in the way.
func TestStartDialog(t *testing.T) {
	a := agentNamed(t, "claude-2.1.328")
	r := start(t, a, "--ready-timeout", "5s")
	r.stop(t)
	settings := filepath.Join(r.home, ".claude.json")
	if err := os.WriteFile(settings, []byte(encode(object{"hasCompletedOnboarding": true, "theme": "dark"})), 0o600); err != nil {
		t.Fatal(err)
	}
	r.launch(t)
	u := r.ask(t, "", "hello dialog")
	t.Logf("the task is %s: %q", u.state, u.says())
	if u.state != a2a.StateFailed || !strings.Contains(strings.ToLower(u.says()), "trust") {
		t.Errorf("the task is %s: %q (%s)", u.state, u.says(), encode(u.meta))
	}
	if n := r.model.turns("hello dialog"); n != 0 {
		t.Errorf("the model got the message %d times", n)
	}
}
