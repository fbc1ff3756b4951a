package agents_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// TestScreenOnly: without its hooks an agent's answers come from its screen.
// They are the model's words as long as these are drawn as they are.
func TestScreenOnly(t *testing.T) {
	for _, a := range agents() {
		if a.name == "opencode" {
			continue // its hooks are its own event stream, and its first answers take half a minute
		}
		t.Run(a.name, func(t *testing.T) {
			r := start(t, a, "--no-hooks")
			r.ask(t, "", "hello there").answered(t, "ECHO: hello there")
			const text = "the first line\nthe second\n\nthe fourth: wörld 日本語 🙂\nthe last"
			r.ask(t, "", text).answered(t, "ECHO: "+text)
			longPrompt(t, r)
			slowAnswer(t, r)
			longAnswer(t, r)
			u := r.ask(t, "", "FAIL:400")
			if u.state != a2a.StateFailed || !strings.Contains(u.says(), "the model has failed") {
				t.Errorf("the model refused, and the task is %s: %q, answer %q; the screen is:\n%s", u.state, u.says(), u.text, r.screen())
			}
			r.ask(t, "", "after the error").answered(t, "ECHO: after the error")
			if strings.Contains(r.log.String(), `"source":"hook"`) {
				t.Error("a hook has told of the agent's state")
			}
		})
	}
}

// longAnswer is longer than the screen.
func longAnswer(t *testing.T, r *rig) {
	t.Helper()
	said := lines(100, "an answer longer than the screen")
	r.model.teach("much", speech{{text: strings.Join(said, "")}})
	r.ask(t, "", "SAY:much please").answered(t, strings.Join(said, ""))
}
