package turn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

func TestDrawnCancel(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	k := r.send("SAY 200 a b c d e f g h i j k l m n o p q r s t u v w x y z")
	r.said(k, "b")
	k.Cancel(task.ErrCanceled)
	got := r.end(k)
	if got.Status.State != a2a.StateCanceled || meta(got.Metadata, "interrupt") != "" {
		t.Errorf("task is %s, metadata %v", got.Status.State, got.Metadata)
	}
	want(t, r.ask("next"), a2a.StateCompleted, "ECHO: next")
}

func TestDrawnCancelOfAQuestion(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	k := r.send("ASK touch x")
	r.until(k, a2a.TaskState.Interrupted)
	k.Cancel(task.ErrCanceled)
	if got := r.end(k); got.Status.State != a2a.StateCanceled || meta(got.Metadata, "interrupt") != "" {
		t.Errorf("task is %s, metadata %v", got.Status.State, got.Metadata)
	}
	want(t, r.ask("next"), a2a.StateCompleted, "ECHO: next")
}

func TestDrawnDeafToInterrupts(t *testing.T) {
	t.Parallel()
	enough := filepath.Join(t.TempDir(), "enough")
	r := drawingWith(t, func(o *turn.Options) { o.CancelGrace = 300 * time.Millisecond })
	k := r.send("DEAF " + enough)
	eventually(t, "the work to begin", func() bool {
		return strings.Contains(meta(k.Snapshot(nil, false).Metadata, "agentState"), `"title"`) || strings.Contains(meta(k.Snapshot(nil, false).Metadata, "agentState"), `"screen"`)
	})
	k.Cancel(task.ErrCanceled)
	if got := r.end(k); got.Status.State != a2a.StateCanceled || meta(got.Metadata, "interrupt") != `"unacknowledged"` {
		t.Errorf("task is %s, metadata %v", got.Status.State, got.Metadata)
	}
	if r.Ready() == nil {
		t.Error("ready while the agent is still at it")
	}
	next := r.send("again")
	if err := os.WriteFile(enough, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, r.end(next), a2a.StateCompleted, "ECHO: again")
}

func TestDrawnEnd(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	got := r.ask("EXIT 3")
	if got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "exit status 3") {
		t.Errorf("task is %s (%q)", got.Status.State, status(got))
	}
	within(t, r.Exited(), "the agent's end")
}

// TestDrawnQuit: an idle agent is ended by its own keys, one that does not go by
// them, or works, by the ladder.
func TestDrawnQuit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ say, exit string }{
		{"hello", "exit status 0"},
		{"SAY 60000 a b", "killed by SIG"},
	} {
		r := drawingWith(t, func(o *turn.Options) { o.CancelGrace = time.Second })
		k := r.send(c.say)
		if c.exit == "exit status 0" {
			r.end(k)
		} else {
			eventually(t, "the message to be sent", func() bool { return strings.Contains(meta(k.Snapshot(nil, false).Metadata, "agentState"), `"working"`) })
		}
		r.Drain(t.Context(), 100*time.Millisecond)
		within(t, r.Exited(), "the end")
		if got := r.Exit().String(); !strings.HasPrefix(got, c.exit) {
			t.Errorf("%q: %s", c.say, got)
		}
	}
}
