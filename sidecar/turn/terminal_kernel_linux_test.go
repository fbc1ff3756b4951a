package turn_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// patient is a rig whose silence ends nothing: what the program waits for has to tell.
func patient(t *testing.T, argv ...string) *rig {
	return newRig(t, func(o *turn.Options) {
		o.Mode, o.Command = turn.ModePTY, argv
		o.StartQuiet, o.Quiet = time.Minute, time.Minute
	})
}

// TestTerminalFreeQuestion: a program that reads behind a text in the middle of a turn asks, with
// that text; the reply and its echo are no part of the answer, and the same question may come again.
func TestTerminalFreeQuestion(t *testing.T) {
	t.Parallel()
	needs(t, "dash")
	r := patient(t, "dash", "-i")
	k := r.send("for i in 1 2; do printf 'Enter a value: '; read v; echo got $v; done")
	for _, reply := range []string{"abc", "de f"} {
		got := r.until(k, func(s a2a.TaskState) bool { return s.Interrupted() || s.Terminal() })
		if got.Status.State != a2a.StateInputRequired || !strings.HasSuffix(status(got), "Enter a value:") {
			t.Fatalf("task is %s (%q) with %q", got.Status.State, status(got), answer(got))
		}
		if err := k.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(reply)}}); err != nil {
			t.Fatal(err)
		}
		r.until(k, func(s a2a.TaskState) bool { return !s.Interrupted() })
	}
	want(t, r.end(k), a2a.StateCompleted, "got abc\ngot de f")
}

// TestTerminalPromptBeforeWork: a program that shows its prompt and works on has not answered.
func TestTerminalPromptBeforeWork(t *testing.T) {
	t.Parallel()
	const script = `printf '> '; while read -r line; do printf '> '; sleep 1; echo "answer to $line"; printf '> '; done`
	r := patient(t, "sh", "-c", script)
	for _, line := range []string{"one", "two"} {
		want(t, r.ask(line), a2a.StateCompleted, "answer to "+line)
	}
}

// TestTerminalRoomUnderThePrompt: an editor that makes room under its prompt leaves nothing of that
// in the answer.
func TestTerminalRoomUnderThePrompt(t *testing.T) {
	t.Parallel()
	const script = `while printf '> \n\n\n\033[3A\033[2C' && read -r line; do printf '\033[Jsaid %s\n' "$line"; done`
	r := patient(t, "sh", "-c", script)
	want(t, r.ask("one"), a2a.StateCompleted, "said one")
	want(t, r.ask("two"), a2a.StateCompleted, "said two")
}

// TestTerminalReadsWithoutAWord: a program that reads a line in the middle of a turn and shows nothing
// is not asked about with whatever else stands on the screen.
func TestTerminalReadsWithoutAWord(t *testing.T) {
	t.Parallel()
	needs(t, "dash")
	r := patient(t, "dash", "-i")
	k := r.send("echo earlier; echo; read v; echo got $v")
	got := r.until(k, func(s a2a.TaskState) bool { return s.Interrupted() || s.Terminal() })
	if got.Status.State != a2a.StateInputRequired || status(got) != "the program waits for a line, and has not said what for" {
		t.Fatalf("task is %s (%q) with %q", got.Status.State, status(got), answer(got))
	}
	if err := k.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("it")}}); err != nil {
		t.Fatal(err)
	}
	want(t, r.end(k), a2a.StateCompleted, "earlier\n\ngot it")
}
