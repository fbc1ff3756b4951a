package turn_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// TestDrawnInputThatIsNotToBeFound: an agent whose box cannot be found any more is
// made to draw its screen anew, each time, and its terminal has its size again. One
// that does not say that it is ready, and shows no work either, has longer.
func TestDrawnInputThatIsNotToBeFound(t *testing.T) {
	t.Parallel()
	for says, least := range map[string]time.Duration{"garbles": 5 * time.Second, "status": 2 * time.Second} {
		r := drawingWith(t, func(o *turn.Options) { o.ReadyTimeout = 12 * time.Second }, "garbles", says)
		for _, text := range []string{"one", "two", "three"} {
			began := time.Now()
			want(t, r.ask(text), a2a.StateCompleted, "ECHO: "+text)
			if took := time.Since(began); text != "one" && took < least || took > 40*time.Second {
				t.Errorf("%s: drawn anew after %v", says, took)
			}
		}
		views, _ := r.Views("")
		if shown, _ := views[0].See(); shown.Cols != 120 || shown.Rows != 40 {
			t.Errorf("the terminal has %dx%d", shown.Cols, shown.Rows)
		}
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
