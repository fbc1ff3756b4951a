package turn_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// behind is a rig of an agent whose hooks tell of a turn long before it draws any
// of it, after its first turn: the next message is typed before that is drawn.
func behind(t *testing.T) *rig {
	r := drawingWith(t, func(o *turn.Options) { withChannel(t, o) }, "hooks", "behind=1200")
	want(t, r.ask("first"), a2a.StateCompleted, "ECHO: first")
	return r
}

// TestDrawnLostMessageAgain: and neither is it if the two are the same.
func TestDrawnLostMessageAgain(t *testing.T) {
	t.Parallel()
	r := behind(t)
	want(t, r.ask("ONCE"), a2a.StateCompleted, "ECHO: ONCE")
	if got := r.ask("ONCE"); got.Status.State != a2a.StateFailed || answer(got) != "" {
		t.Errorf("task is %s (%q) with %q", got.Status.State, status(got), answer(got))
	}
}

// TestDrawnTurnWithoutHooks: where hooks say nothing for once, what stands below
// the message is its answer.
func TestDrawnTurnWithoutHooks(t *testing.T) {
	t.Parallel()
	want(t, behind(t).ask("MUTE second"), a2a.StateCompleted, "ECHO: MUTE second")
}

// TestDrawnCanceledBehind: what is drawn late of the turn before is no part of
// the answer to a message that was canceled.
func TestDrawnCanceledBehind(t *testing.T) {
	t.Parallel()
	r := behind(t)
	k := r.send("LOST")
	r.shows("ECHO: first")
	k.Cancel(task.ErrCanceled)
	if got := r.end(k); got.Status.State != a2a.StateCanceled || answer(got) != "" {
		t.Errorf("task is %s with %q", got.Status.State, answer(got))
	}
}

// TestPersonInterruptsATurn: of one that was interrupted no hook tells the end.
// That they told its begin is enough for the screen to be believed at once.
func TestPersonInterruptsATurn(t *testing.T) {
	t.Parallel()
	r, p := sitWith(t, func(o *turn.Options) {
		o.Profile, o.NoHooks = filepath.Join("testdata", "fake.json"), true
		plays(o, "fake", "hooks")
		withChannel(t, o)
	})
	want(t, r.ask("first"), a2a.StateCompleted, "ECHO: first")
	k := r.send("SAY 60000 a b")
	p.sees(t, "esc to interrupt")
	eventually(t, "the hook", func() bool { return strings.Contains(meta(k.Snapshot(nil, false).Metadata, "agentState"), `"hook"`) })
	p.types(t, "\x1b")
	p.sees(t, "Interrupted")
	began := time.Now()
	want(t, r.end(k), a2a.StateCompleted, "")
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("the end was seen only after %s", took)
	}
}
