package turn_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// TestDrawnWorkAfterTheEnd: an agent whose hooks tell of the end before its screen
// does is typed to when that shows it too, or at last when it never does.
func TestDrawnWorkAfterTheEnd(t *testing.T) {
	t.Parallel()
	for lingers, early := range map[string]bool{"lingers=1500": false, "lingers=8000": true} {
		r := drawingWith(t, func(o *turn.Options) { withChannel(t, o) }, "hooks", lingers)
		want(t, r.ask("one"), a2a.StateCompleted, "ECHO: one")
		k := r.send("two")
		if got := r.end(k); (answer(got) == "typed too early") != early {
			t.Errorf("%s: %q", lingers, answer(got))
		}
	}
}

// TestDrawnEnterThatBecomesText: an agent that takes Enter for a part of what was
// pasted just before gets another one, and not the next message with it.
func TestDrawnEnterThatBecomesText(t *testing.T) {
	t.Parallel()
	r := drawing(t, "swallow=900")
	for _, text := range []string{"one", "two\nlines", "three"} {
		want(t, r.ask(text), a2a.StateCompleted, "ECHO: "+text)
	}
}

// TestDrawnEnterThatIsReadLate: an agent that does nothing for a while after it gets
// its message all the same, and no keys that clear an input which is empty by then.
func TestDrawnEnterThatIsReadLate(t *testing.T) {
	t.Parallel()
	r := drawing(t, "stalls=7000")
	want(t, r.ask("one"), a2a.StateCompleted, "ECHO: one")
	want(t, r.ask("two"), a2a.StateCompleted, "ECHO: two")
}
