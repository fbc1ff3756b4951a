package turn_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// TestDrawnDialogThatNobodyHasToDecide: it is closed, and stops no message.
func TestDrawnDialogThatNobodyHasToDecide(t *testing.T) {
	t.Parallel()
	for _, habits := range [][]string{{"tips"}, {"tips", "status"}} {
		r := drawingWith(t, func(o *turn.Options) { o.ReadyTimeout = 5 * time.Second }, habits...)
		for _, text := range []string{"one", "two", "three"} {
			want(t, r.ask(text), a2a.StateCompleted, "ECHO: "+text)
		}
	}
}

// TestDrawnDialogIsClosedOnce: one that takes its time to go gets no key more, which
// would be for what comes next.
func TestDrawnDialogIsClosedOnce(t *testing.T) {
	t.Parallel()
	escs := filepath.Join(t.TempDir(), "escs")
	r := drawing(t, "tips", "ponders=400", "escs="+escs)
	want(t, r.ask("one"), a2a.StateCompleted, "ECHO: one")
	want(t, r.ask("two"), a2a.StateCompleted, "ECHO: two")
	if n, _ := os.ReadFile(escs); string(n) != "1" && string(n) != "2" {
		t.Errorf("%s Escs were typed at two dialogs", n)
	}
}

// TestDrawnDialogOfAPerson: who sits there has the choice.
func TestDrawnDialogOfAPerson(t *testing.T) {
	t.Parallel()
	r, p := sitAtDrawing(t, "tips")
	k := r.send("one")
	if asks := r.until(k, a2a.TaskState.Interrupted); asks.Status.State != a2a.StateInputRequired {
		t.Errorf("task is %s (%q)", asks.Status.State, status(asks))
	}
	p.types(t, "\x1b")
	want(t, r.end(k), a2a.StateCompleted, "ECHO: one")
}
