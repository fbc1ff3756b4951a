package turn_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// TestDrawnInputThatIsNotToBeFound: an agent whose box cannot be found any more is
// made to draw its screen anew, and its terminal has its size again.
func TestDrawnInputThatIsNotToBeFound(t *testing.T) {
	t.Parallel()
	r := drawingWith(t, func(o *turn.Options) { o.ReadyTimeout = 12 * time.Second }, "garbles", "status")
	for _, text := range []string{"one", "two"} {
		want(t, r.ask(text), a2a.StateCompleted, "ECHO: "+text)
	}
	views, _ := r.Views("")
	if shown, _ := views[0].See(); shown.Cols != 120 || shown.Rows != 40 {
		t.Errorf("the terminal has %dx%d", shown.Cols, shown.Rows)
	}
}

// TestDrawnInputThatIsGoneAtOnce: an agent that was done before anybody could see it
// at work, and whose input is not to be found then, has taken the message.
func TestDrawnInputThatIsGoneAtOnce(t *testing.T) {
	t.Parallel()
	for _, habits := range [][]string{{"garbles"}, {"garbles", "status"}} {
		r := drawingWith(t, func(o *turn.Options) { o.ReadyTimeout = 20 * time.Second }, habits...)
		want(t, r.ask("one"), a2a.StateCompleted, "ECHO: one")
		if got := r.ask("FAIL two"); strings.Contains(status(got), "could not be submitted") || answer(got) != "API Error: two" {
			t.Errorf("%s: task is %s (%q) with answer %q", habits, got.Status.State, status(got), answer(got))
		}
	}
}

// TestDrawnPersonsInputThatIsNotToBeFound: with a person at a terminal of another
// size.
func TestDrawnPersonsInputThatIsNotToBeFound(t *testing.T) {
	t.Parallel()
	r, p := sitAtDrawing(t, "garbles")
	p.sees(t, "? for shortcuts")
	want(t, r.ask("one"), a2a.StateCompleted, "ECHO: one")
	want(t, r.ask("two"), a2a.StateCompleted, "ECHO: two")
}
