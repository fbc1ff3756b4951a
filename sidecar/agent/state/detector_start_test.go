package state_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// firstLook is the pause after which the first look comes, and loads what it sees of an agent that loads.
const firstLook = 10 * time.Millisecond

var loads = waits.Look{Kind: waits.Busy, PID: 7, Doing: waits.Waits}

// newDrawn is a program of which nothing is known, and which draws its screen without a cursor.
func newDrawn(t *testing.T) *watched {
	w := newWatched(t, "generic")
	w.s.CursorShown, w.tty.Canonical, w.tty.Echo = false, false, false
	return w
}

// readyAfter checks that the program is ready when that time has passed, and not before.
func (w *watched) readyAfter(d time.Duration, source string) {
	w.t.Helper()
	w.never(profile.Ready, 0, nil)
	w.pass(d - time.Millisecond)
	if v, _ := w.d.Verdict(w.now); v.State == profile.Ready {
		w.t.Fatalf("ready by %s (%s) before %v", v.Source, v.Rule, d)
	}
	w.pass(2 * time.Millisecond)
	w.is(profile.Ready, source)
}

// TestStartRests: an agent with an event loop has started when what it draws has rested.
func TestStartRests(t *testing.T) {
	w := newDrawn(t)
	w.see = loads
	w.pass(300 * time.Millisecond)
	w.show("", "a picture")
	w.pass(10 * time.Second) // it loads
	w.is(profile.Starting, state.SourceKernel)
	w = newDrawn(t)
	w.see = watches
	w.pass(300 * time.Millisecond)
	w.show("", "a picture")
	w.pass(900 * time.Millisecond)
	w.is(profile.Starting, state.SourceStart)
	w.show("", "a picture", "Ask anything")
	w.readyAfter(time.Second+firstLook, state.SourceKernel)
	looks := len(w.looks)
	w.pass(time.Hour)
	w.is(profile.Ready, state.SourceKernel)
	if len(w.looks) != looks {
		t.Errorf("%d looks while it is idle", len(w.looks)-looks)
	}
}

// TestStartSlow: one that has paused for long before it drew anything may pause for as long again.
func TestStartSlow(t *testing.T) {
	w := newDrawn(t)
	w.see = loads
	w.pass(2500 * time.Millisecond)
	w.see = watches
	w.show("", "a picture")
	w.readyAfter(2500*time.Millisecond+firstLook, state.SourceKernel)
}

// TestStartMoves: a picture that moves for ever leaves only the input to tell.
func TestStartMoves(t *testing.T) {
	w := newDrawn(t)
	w.see = watches
	picture := func(i int) string { return "a picture " + strings.Repeat("~", i) }
	for i := range 29 {
		w.show("", picture(i), "> ")
		w.pass(100 * time.Millisecond)
	}
	if v, _ := w.d.Verdict(w.now); v.State == profile.Ready {
		t.Fatalf("%+v", v)
	}
	for i := range 2 {
		w.show("", picture(29+i), "> ")
		w.pass(100 * time.Millisecond)
	}
	w.is(profile.Ready, profile.SourcePrompt)
}

// TestStartRestless: what changes all the time is no part of the start: a clock, or a picture that
// comes again. A spinner is, for as long as it turns.
func TestStartRestless(t *testing.T) {
	clock := func(i int) string { return fmt.Sprintf("model x   12:00:%02d", i/10) }
	for _, c := range []struct {
		name  string
		row   func(i int) string
		ready time.Duration // 0: never
	}{
		// The row is restless after three changes, a second each, and the rest has to last for 3 s.
		{"a clock", clock, 6 * time.Second},
		{"a picture", func(i int) string { return []string{"/o  ", "-o- ", "  o/"}[i%3] }, 4 * time.Second},
		{"a spinner", func(i int) string { return string([]rune(text.Spinners)[i%10]) + " Loading" }, 0},
		{"a story", func(i int) string { return strings.Repeat("x", i) }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newDrawn(t)
			w.see = watches
			for i := range 100 {
				w.show("", "Ask anything", c.row(i))
				w.pass(100 * time.Millisecond)
				if v, _ := w.d.Verdict(w.now); v.State == profile.Ready {
					if at := time.Duration(i) * 100 * time.Millisecond; c.ready == 0 || at < c.ready-time.Second || at > c.ready+time.Second {
						t.Fatalf("ready after %v by %s (%s)", at, v.Source, v.Rule)
					}
					return
				}
			}
			if c.ready > 0 {
				t.Fatal("never ready")
			}
		})
	}
}

// TestMoved: after the start a clock is no motion, and all else is.
func TestMoved(t *testing.T) {
	w := newDrawn(t)
	w.see = watches
	second := 0
	show := func(rows ...string) time.Time {
		second++
		w.pass(time.Second)
		w.show("", append(rows, fmt.Sprintf("12:00:%02d", second))...)
		return w.now
	}
	show("Ask anything")
	show("Ask anything")
	w.pass(1100 * time.Millisecond) // one tick was seen
	w.is(profile.Ready, state.SourceKernel)
	w.d.SetDrawing(true)
	w.d.Submitted(w.now)
	asked := show("> hello")
	show("> hello")
	if got := w.d.Moved(); !got.Equal(asked) {
		t.Errorf("a clock has moved at %v", got.Sub(asked))
	}
	if works := show("> hello", "Building 1s"); !w.d.Moved().Equal(works) {
		t.Error("new text is no motion")
	}
	if works := show("> hello", "Building 2s"); !w.d.Moved().Equal(works) {
		t.Error("seconds of work are no motion")
	}
	var last time.Time
	for i := range 200 {
		last = show("> hello", fmt.Sprintf("Building %ds", 3+i))
	}
	if at := last.Sub(w.d.Moved()); at < 79*time.Second || at > 85*time.Second {
		t.Errorf("seconds that alone change are motion until %v before now", at)
	}
	w.s.Lines = slices.Clone(w.s.Lines)
	w.s.Lines[1].Spans = []term.Span{{From: 0, To: 3}}
	w.now = w.now.Add(time.Millisecond)
	w.s.Output = w.now
	w.d.Screen(w.s, w.tty, w.now)
	if !w.d.Moved().Equal(w.now) {
		t.Error("a new colour is no motion")
	}
}

// TestStartHidden: where the kernel does not tell, an input must have rested too, and without one there is only silence.
func TestStartHidden(t *testing.T) {
	w := newDrawn(t)
	w.see = hidden
	w.show("", "a picture", "> ")
	w.readyAfter(time.Second, profile.SourcePrompt)
	w = newDrawn(t)
	w.see = sleeps // between looks for keys, perhaps
	w.show("", "a picture")
	w.readyAfter(5*time.Second, state.SourceQuiet)
	w = newDrawn(t)
	w.see = hidden
	w.show("", "a picture")
	w.readyAfter(5*time.Second, state.SourceQuiet)
}

// TestStartAsks: a program that asks at its start is not ready by its rest.
func TestStartAsks(t *testing.T) {
	w := newDrawn(t)
	w.see = watches
	w.show("", "Trust this folder?", "❯ 1. Yes", "  2. No", "")
	w.pass(4 * time.Second)
	if v, _ := w.d.Verdict(w.now); v.State == profile.Ready {
		t.Errorf("%+v", v)
	}
}

// TestPageRests: a program that draws its screen and waits for nothing but its terminal has said
// all when that has rested; a wait that ends by itself has to last longer.
func TestPageRests(t *testing.T) {
	timed := polls
	timed.Timeout = true
	for _, c := range []struct {
		name string
		see  waits.Look
		want time.Duration
	}{{"reads", reads, 300 * time.Millisecond}, {"polls", polls, 300 * time.Millisecond}, {"polls for a time", timed, time.Second}} {
		t.Run(c.name, func(t *testing.T) {
			w := newDrawn(t)
			w.s.Alternate = true
			w.see = c.see
			w.show("", "1", "2", ":")
			w.readyAfter(c.want+firstLook, state.SourceKernel)
			w.d.SetDrawing(true)
			w.d.Submitted(w.now)
			w.see = sleeps
			w.now = w.now.Add(time.Millisecond)
			w.show("", "3", "4", ":")
			w.pass(2 * time.Second)
			w.is(profile.Working, state.SourceKernel) // it has not woken
			w.see = woken(c.see)
			w.show("", "5", "6", ":")
			w.readyAfter(c.want+firstLook, state.SourceKernel)
		})
	}
}
