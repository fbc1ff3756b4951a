package turn_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// reply answers a task's question.
func reply(k *task.Task, text string) error {
	return k.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(text)}})
}

// TestDrawnQuestionThatCannotBeRead: no word of a caller's is typed at it. What
// means no to people may be the key for yes, and its Enter approves.
func TestDrawnQuestionThatCannotBeRead(t *testing.T) {
	t.Parallel()
	r := drawingWith(t, func(o *turn.Options) { withChannel(t, o) }, "status")
	k := r.send("STRANGE")
	asks := r.until(k, a2a.TaskState.Interrupted)
	if asks.Status.State != a2a.StateAuthRequired || !strings.Contains(status(asks), "cannot be read") || len(asks.Status.Message.Parts) < 2 ||
		strings.Count(string(asks.Status.Message.Parts[1].Data), `"id"`) != 1 {
		t.Fatalf("task is %s with %+v", asks.Status.State, asks.Status.Message)
	}
	for _, no := range []string{"no", "y", "", "Yes"} {
		if reply(k, no) == nil {
			t.Fatalf("%q was taken", no)
		}
	}
	if err := reply(k, "cancel"); err != nil {
		t.Fatal(err)
	}
	want(t, r.end(k), a2a.StateCompleted, "chose no")
}

func TestDrawnChoice(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	k := r.send("PICK alpha beta gamma")
	asks := r.until(k, a2a.TaskState.Interrupted)
	if asks.Status.State != a2a.StateInputRequired {
		t.Fatalf("task is %s (%q)", asks.Status.State, status(asks))
	}
	if err := reply(k, "gamma"); err != nil {
		t.Fatal(err)
	}
	want(t, r.end(k), a2a.StateCompleted, "chose gamma")
}

// TestDrawnChoiceThatBecomesAnother: the keys that are left are not typed at
// what has come in its place.
func TestDrawnChoiceThatBecomesAnother(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	k := r.send("SWAP alpha beta gamma")
	r.until(k, a2a.TaskState.Interrupted)
	if err := reply(k, "gamma"); err != nil {
		t.Fatal(err)
	}
	asks := r.until(k, func(s a2a.TaskState) bool { return s.Interrupted() || s.Terminal() })
	if asks.Status.State != a2a.StateAuthRequired {
		t.Fatalf("task is %s (%q) with answer %q", asks.Status.State, status(asks), answer(asks))
	}
	if err := reply(k, "3"); err != nil {
		t.Fatal(err)
	}
	want(t, r.end(k), a2a.StateCompleted, "chose no")
}

// TestDrawnDialogInATurn: the caller is told and can have it cancelled, for the
// turn would wait for ever.
func TestDrawnDialogInATurn(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	k := r.send("DIALOG")
	asks := r.until(k, a2a.TaskState.Interrupted)
	if !strings.Contains(status(asks), "folder trust") {
		t.Errorf("asked %q", status(asks))
	}
	if err := reply(k, "cancel"); err != nil {
		t.Fatal(err)
	}
	want(t, r.end(k), a2a.StateCompleted, "chose nothing")
}
