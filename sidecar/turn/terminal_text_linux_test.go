package turn_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// TestTerminalTakesText: the lines of a message go to a program that has no prompt while it takes text,
// as a line editor such as ed does. A question among them is still a question.
func TestTerminalTakesText(t *testing.T) {
	t.Parallel()
	const script = `while printf '* ' && read -r line; do
	case $line in
	a) n=0; while read -r text && [ "$text" != . ]; do n=$((n+1)); done; echo "$n lines" ;;
	sure) printf 'Sure? '; read -r yes; echo "said $yes" ;;
	esac
done`
	r := patient(t, "sh", "-c", script)
	want(t, r.ask("a\none\ntwo\n."), a2a.StateCompleted, "2 lines")
	k := r.send("sure\na")
	got := r.until(k, func(s a2a.TaskState) bool { return s.Interrupted() || s.Terminal() })
	if got.Status.State != a2a.StateInputRequired {
		t.Errorf("the next line was typed as the answer: %s %q", got.Status.State, answer(got))
	}
}

// TestTerminalTextForAChild: the further lines of a message are not typed into a full-screen program, nor into
// any other that the agent has started.
func TestTerminalTextForAChild(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	for _, say := range []string{"printf '\\033[?1049h'; read -rsn1 k; printf '\\033[?1049l'\necho done", "sh -c 'read -r x; echo got $x'\necho done"} {
		r := patient(t, "bash", "--norc", "-i")
		k := r.send(say)
		got := r.until(k, func(s a2a.TaskState) bool { return s.Interrupted() || s.Terminal() })
		if got.Status.State != a2a.StateInputRequired {
			t.Errorf("%q: %s %q", say, got.Status.State, answer(got))
		}
	}
}

// TestTerminalSecretThenALine: the lines after a secret have their echo cut.
func TestTerminalSecretThenALine(t *testing.T) {
	t.Parallel()
	needs(t, "dash")
	r := patient(t, "dash", "-i")
	k := r.send("printf 'Password: '; stty -echo; read p; stty echo; echo\necho done")
	r.until(k, func(s a2a.TaskState) bool { return s.Interrupted() || s.Terminal() })
	if err := k.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("geheim")}}); err != nil {
		t.Fatal(err)
	}
	want(t, r.end(k), a2a.StateCompleted, "done")
}
