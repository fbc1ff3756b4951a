package turn_test

import (
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
