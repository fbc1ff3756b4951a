package turn_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// drawing is a rig of an agent that draws its screen, with the habits that are
// named.
func drawing(t testing.TB, habits ...string) *rig {
	return drawingWith(t, func(*turn.Options) {}, habits...)
}

func drawingWith(t testing.TB, set func(*turn.Options), habits ...string) *rig {
	t.Helper()
	return newRig(t, func(o *turn.Options) {
		o.Mode, o.Profile, o.NoHooks = turn.ModePTY, filepath.Join("testdata", "fake.json"), true
		plays(o, "fake", habits...)
		set(o)
	})
}

// shows waits until the only terminal there is shows a text.
func (r *rig) shows(text string) {
	r.t.Helper()
	eventually(r.t, text, func() bool {
		views, _ := r.Views("")
		if len(views) != 1 {
			return false
		}
		snap, _ := views[0].See()
		return strings.Contains(snap.Text(), text)
	})
}

func TestDrawnAnswer(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	for _, c := range []struct{ text, answer string }{
		{"hello there", "ECHO: hello there"},
		{"FAST one", "ECHO: FAST one"}, // never seen at work
		{"one\ntwo\n\nfour", "ECHO: one\ntwo\n\nfour"},
		{"SAY 20 a b c", "ECHO: a b c"},
		{"LINES 200", lines(200)},
	} {
		got := r.ask(c.text)
		want(t, got, a2a.StateCompleted, c.answer)
		if !strings.Contains(meta(got.Metadata, "agentState"), `"state":"ready"`) {
			t.Errorf("%q: metadata %v", c.text, got.Metadata)
		}
	}
}

func lines(n int) string {
	var all []string
	for i := range n {
		all = append(all, "line "+strconv.Itoa(i+1)+" of the answer")
	}
	return strings.Join(all, "\n")
}

func TestDrawnAnswerStreams(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	k := r.send("SAY 300 alpha beta gamma delta epsilon")
	r.said(k, "alpha") // before the end
	if k.State().Terminal() {
		t.Error("nothing came before the end")
	}
	want(t, r.end(k), a2a.StateCompleted, "ECHO: alpha beta gamma delta epsilon")
}

// TestDrawnSignals: an agent that says by itself what it does.
func TestDrawnSignals(t *testing.T) {
	t.Parallel()
	for _, habit := range []string{"status", "hooks"} {
		t.Run(habit, func(t *testing.T) {
			t.Parallel()
			r := drawingWith(t, func(o *turn.Options) { withChannel(t, o) }, habit)
			want(t, r.ask("first"), a2a.StateCompleted, "ECHO: first")
			got := r.ask("second")
			want(t, got, a2a.StateCompleted, "ECHO: second")
			source := map[string]string{"status": "osc7501", "hooks": "hook"}[habit]
			if s := meta(got.Metadata, "agentState"); !strings.Contains(s, source) {
				t.Errorf("agentState %s, want by %s", s, source)
			}
		})
	}
}

// TestDrawnDoneBeforeTheAnswer: what an agent says of itself overtakes what it
// draws.
func TestDrawnDoneBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	r := drawingWith(t, func(o *turn.Options) { withChannel(t, o) }, "status", "doneFirst=400")
	want(t, r.ask("FAST one"), a2a.StateCompleted, "ECHO: FAST one")
	want(t, r.ask("two words"), a2a.StateCompleted, "ECHO: two words")
}

// TestDrawnExactAnswer: what a hook says replaces what the screen could show.
func TestDrawnExactAnswer(t *testing.T) {
	t.Parallel()
	r := drawingWith(t, func(o *turn.Options) { withChannel(t, o) }, "hooks")
	want(t, r.ask("a [bold] word"), a2a.StateCompleted, "ECHO: a **bold** word")
}

// TestUnknownDrawnAgent: of what has no profile the rules hold that fit most.
func TestUnknownDrawnAgent(t *testing.T) {
	t.Parallel()
	r := drawingWith(t, func(o *turn.Options) { o.Profile = "" })
	for _, text := range []string{"hello there", "SAY 300 a b c d"} {
		got := r.ask(text)
		if got.Status.State != a2a.StateCompleted || !strings.Contains(answer(got), "ECHO: "+strings.TrimPrefix(text, "SAY 300 ")) {
			t.Errorf("%q: task is %s (%q) with %q", text, got.Status.State, status(got), answer(got))
		}
	}
}

func TestDrawnNothing(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	if got := r.ask("\x1b\n "); got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "no text") {
		t.Errorf("task is %s (%q)", got.Status.State, status(got))
	}
	want(t, r.ask("something"), a2a.StateCompleted, "ECHO: something")
}
