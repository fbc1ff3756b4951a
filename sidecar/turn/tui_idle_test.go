package turn_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// TestDrawnQuestionOfACanceledTurn: the key that ends the turn is lost, as it comes
// too soon, and the question does not stand in the way of all that follows.
func TestDrawnQuestionOfACanceledTurn(t *testing.T) {
	t.Parallel()
	for _, grace := range []time.Duration{10 * time.Second, 100 * time.Millisecond} {
		r := drawingWith(t, func(o *turn.Options) { o.CancelGrace = grace }, "startled=600")
		k := r.send("ASK touch x")
		r.until(k, a2a.TaskState.Interrupted)
		k.Cancel(task.ErrCanceled)
		began := time.Now()
		if got := r.end(k); got.Status.State != a2a.StateCanceled {
			t.Errorf("task is %s", got.Status.State)
		}
		want(t, r.ask("next"), a2a.StateCompleted, "ECHO: next")
		if took := time.Since(began); took > 9*time.Second {
			t.Errorf("the question stood in the way for %v", took)
		}
	}
}

// TestDrawnQuestionIsDeclinedOnce: of an agent that takes two keys to stop, a second
// one would be for what comes next.
func TestDrawnQuestionIsDeclinedOnce(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "fake.json"))
	if err != nil {
		t.Fatal(err)
	}
	twice := regexp.MustCompile(`"interrupt": \[\s*"\\u001b"\s*\]`).ReplaceAll(text, []byte(`"interrupt": ["\u001b", "\u001b"]`))
	path := filepath.Join(t.TempDir(), "twice.json")
	if err := os.WriteFile(path, twice, 0o600); err != nil || bytes.Equal(twice, text) {
		t.Fatal(err)
	}
	r, p := sitWith(t, func(o *turn.Options) {
		o.Profile, o.NoHooks = path, true
		plays(o, "fake", "counts")
	})
	k := r.send("ASK touch x")
	r.until(k, a2a.TaskState.Interrupted)
	k.Cancel(task.ErrCanceled)
	r.end(k)
	want(t, r.ask("next"), a2a.StateCompleted, "ECHO: next")
	if p.sees(t, "]0;escape 1"); p.saw("]0;escape 2") {
		t.Error("Esc was typed twice")
	}
}
