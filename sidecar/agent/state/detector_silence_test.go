package state_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// TestSilenceAfterText: a text before the cursor that is none of the program's prompts is a question
// when silence would end the answer.
func TestSilenceAfterText(t *testing.T) {
	for _, c := range []struct {
		row  string
		want profile.State
	}{
		{"package name: (work) ", profile.Asking}, {"? Your name? ‣", profile.Asking}, {"Enter password", profile.Asking},
		{"", profile.Ready}, {"acme> ", profile.Ready},
	} {
		w := newWatched(t, "generic")
		w.answers("acme> ", "go")
		w.see = watches
		w.show("", "acme> go", "some text", c.row)
		w.pass(time.Minute)
		if v, _ := w.d.Verdict(w.now); v.State != c.want || v.State == profile.Asking && v.Message != strings.TrimSpace(c.row) {
			t.Errorf("%q: %s by %s (%s), asks %q", c.row, v.State, v.Source, v.Rule, v.Message)
		}
	}
}

// TestChildAsks: a program that the agent has started, and that watches the terminal for keys while nothing
// moves, asks with what it has drawn. While it works it does not, nor if the terminal edits lines.
func TestChildAsks(t *testing.T) {
	works, inner := watches, watches
	works.Doing, inner.InnerBusy = waits.Runs, true
	for _, c := range []struct {
		name      string
		see       waits.Look
		canonical bool
		want      profile.State
	}{
		{"it watches", watches, false, profile.Asking}, {"it runs", works, false, profile.Working},
		{"an inner program works", inner, false, profile.Working}, {"the terminal edits lines", watches, true, profile.Working},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWatched(t, "generic")
			w.answers("$ ", "create")
			w.tty.ChildForeground, w.tty.Canonical, w.tty.Echo = true, c.canonical, c.canonical
			w.see = c.see
			w.show("", "$ create", "◆  Project name?", "│  _", "└")
			w.pass(2900 * time.Millisecond)
			if v, _ := w.d.Verdict(w.now); v.State != profile.Working {
				t.Errorf("%s before its time", v.State)
			}
			w.pass(300 * time.Millisecond)
			for range 2 { // the second time with a part of the answer
				v, _ := w.d.Verdict(w.now)
				if v.State != c.want || v.State == profile.Asking && v.Message != "◆  Project name?\n│  _\n└" {
					t.Errorf("%s by %s (%s), asks %q", v.State, v.Source, v.Rule, v.Message)
				}
				w.show("", "$ create", "◆  Project name?", "│  bob_", "└")
				w.pass(4 * time.Second)
			}
		})
	}
}

// TestQuestionAboveABlankRow: a question that ends a row, with a blank row between it and the cursor, is the
// question. Other rows there are not.
func TestQuestionAboveABlankRow(t *testing.T) {
	for _, c := range []struct{ row, want string }{{"Is n positive?", "Is n positive?"}, {"some text", ""}} {
		w := newWatched(t, "generic")
		w.answers("(%i1) ", "integrate")
		w.see = woken(reads)
		w.show("", "(%i1) integrate", c.row, "", "")
		w.pass(2 * time.Second)
		if v, _ := w.d.Verdict(w.now); v.State != profile.Asking || v.Message != c.want {
			t.Errorf("%s, asks %q, want %q", v.State, v.Message, c.want)
		}
	}
}

// TestReplyOnTheNextRow: what is typed for an answer may stand below the question. It is no other question.
func TestReplyOnTheNextRow(t *testing.T) {
	w := newWatched(t, "generic")
	w.answers("(%i1) ", "x: read(1)")
	w.see = woken(reads)
	w.show("", "(%i1) x: read(1)", "Enter a value:")
	w.pass(time.Second)
	w.is(profile.Asking, state.SourceKernel)
	w.see = woken(w.see)
	w.show("", "(%i1) x: read(1)", "Enter a value:", "7;")
	w.pass(time.Second)
	if v := w.is(profile.Asking, state.SourceKernel); v.Message != "Enter a value:" {
		t.Errorf("asks %q", v.Message)
	}
}

// TestDrawnSleeps: a program that draws its screen and has not woken for a while is at work; one that looks
// for keys each time that it has slept is not said to be.
func TestDrawnSleeps(t *testing.T) {
	w := newDrawn(t)
	w.s.Alternate = true
	w.see = polls
	w.show("", "Ask anything")
	w.pass(5 * time.Second)
	w.d.SetDrawing(true)
	w.d.Submitted(w.now)
	w.see = sleeps
	w.show("", "> hello", "Steps:")
	w.pass(500 * time.Millisecond)
	w.is(profile.Working, state.SourceKernel)
	w.see = woken(sleeps)
	w.show("", "> hello", "Steps:", "1")
	for range 20 {
		w.see = woken(w.see)
		w.pass(50 * time.Millisecond)
	}
	w.is(profile.Working, state.SourceSubmit)
}

// TestBusyIsNoSilence: while a program with an event loop runs, silence says nothing, and a row with a
// question mark asks nothing while its program sleeps.
func TestBusyIsNoSilence(t *testing.T) {
	for _, doing := range []waits.Doing{waits.Runs, waits.Sleeps} {
		w := newWatched(t, "generic")
		w.answers("> ", "go", "Which file: ")
		w.see = watches
		w.see.Doing = doing
		w.pass(4 * time.Second)
		if doing == waits.Sleeps {
			w.pass(2 * time.Second)
		} else {
			w.pass(time.Hour)
		}
		if v, _ := w.d.Verdict(w.now); v.State != profile.Working {
			t.Errorf("%s: %s by %s (%s)", doing, v.State, v.Source, v.Rule)
		}
	}
}
