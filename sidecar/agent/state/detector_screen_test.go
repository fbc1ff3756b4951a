package state_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// Screens as claude 2.1.197 draws them.
const (
	idleTitle = "✳ Claude Code"
	busyTitle = "⠂ Claude Code"
)

var rule = strings.Repeat("─", 40)

// box is a transcript above the input box.
func box(typed string, transcript ...string) []string {
	return append(transcript, rule, "❯\u00a0"+typed, rule, "  ? for shortcuts")
}

func busy(transcript ...string) []string {
	return append(transcript, "✢ Fermenting… (1s · ↓ 4 tokens)", "", rule, "❯\u00a0", rule, "  esc to interrupt")
}

func asks(transcript ...string) []string {
	return append(transcript, rule, " Bash command", "", "   touch zz.txt", "", " Do you want to proceed?",
		" ❯ 1. Yes", "   2. No", "", " Esc to cancel · Tab to amend")
}

// claude is a bench whose agent is ready, with a message in its box.
func claude(t *testing.T) *bench {
	b := newBench(t, "claude")
	b.show(idleTitle, box("")...)
	b.after(time.Second)
	b.is(profile.Ready, "screen")
	b.show(idleTitle, box("hello")...)
	return b
}

func TestTurnOnTheScreen(t *testing.T) {
	b := newBench(t, "claude")
	b.show(idleTitle, box("")...)
	b.is(profile.Starting, "start")
	b.after(300 * time.Millisecond)
	b.is(profile.Ready, "screen")
	b.show(idleTitle, box("hello")...)
	b.d.Submitted(b.now)
	b.show(idleTitle, box("", "❯ hello")...) // the box is empty, nothing has begun
	b.after(4 * time.Second)                 // a busy machine
	b.is(profile.Working, "submit")
	b.show(busyTitle, busy("❯ hello", "● Hi")...)
	if v := b.is(profile.Working, "screen"); v.Rule == "" || v.Confidence != 0.8 {
		t.Errorf("verdict %+v", v)
	}
	b.after(10 * time.Minute) // the model pauses
	b.is(profile.Working, "screen")
	b.show(idleTitle, box("", "❯ hello", "● Hi there")...)
	b.is(profile.Working, "screen")
	b.after(50 * time.Millisecond)
	b.show(busyTitle, busy("❯ hello", "● Hi there")...) // a frame between
	b.is(profile.Working, "screen")
	b.after(time.Second)
	b.show(idleTitle, box("", "❯ hello", "● Hi there", "", "● Bye")...)
	b.after(290 * time.Millisecond)
	b.is(profile.Working, "screen")
	b.after(10 * time.Millisecond)
	b.is(profile.Ready, "screen")
}

// A turn that is over before anybody looked shows its text, and no more comes.
func TestFastTurnOnTheScreen(t *testing.T) {
	b := claude(t)
	b.d.Submitted(b.now)
	b.show(idleTitle, box("", "❯ hello", "", "● ECHO: well")...)
	b.after(900 * time.Millisecond)
	b.is(profile.Working, "submit")
	b.show(idleTitle, box("", "❯ hello", "", "● ECHO: well", "● more")...)
	b.after(900 * time.Millisecond)
	b.is(profile.Working, "submit")
	b.after(100 * time.Millisecond)
	b.is(profile.Ready, "screen")
}

// A message that came to nothing (swallowed, or a command) is known by silence.
func TestTurnThatNeverBegins(t *testing.T) {
	b := claude(t)
	b.d.Submitted(b.now)
	b.show(idleTitle, box("", "❯ hello")...)
	b.after(4900 * time.Millisecond)
	b.is(profile.Working, "submit")
	b.after(200 * time.Millisecond)
	b.is(profile.Ready, "screen")
}

// The title shows idle while the screen asks, and right after the answer.
func TestQuestionUnderAnIdleTitle(t *testing.T) {
	b := claude(t)
	b.d.Submitted(b.now)
	b.show(busyTitle, busy("❯ hello")...)
	b.is(profile.Working, "screen")
	b.show(idleTitle, asks("❯ hello")...)
	b.is(profile.Working, "screen") // half a frame may look like it
	b.after(200 * time.Millisecond)
	if v := b.is(profile.Asking, "screen"); v.Kind != "permission" || v.Message == "" {
		t.Errorf("a question: %+v", v)
	}
	b.after(time.Hour)
	b.is(profile.Asking, "screen")
	b.show(idleTitle, box("", "❯ hello", "● Bash(touch zz.txt)")...)
	b.after(900 * time.Millisecond)
	b.is(profile.Asking, "screen") // it has not come to go on yet
	b.show(busyTitle, busy("❯ hello", "● Bash(touch zz.txt)")...)
	b.is(profile.Working, "screen")
	b.show(idleTitle, box("", "❯ hello", "● done")...)
	b.after(300 * time.Millisecond)
	b.is(profile.Ready, "screen")

	b.d.Submitted(b.now)
	b.show(idleTitle, asks("❯ hello")...)
	b.after(time.Second)
	b.is(profile.Asking, "screen")
	b.show(idleTitle, box("", "❯ hello", "● refused")...) // and nothing follows
	b.after(1100 * time.Millisecond)
	b.is(profile.Ready, "screen")
}

// A dialog at the start is not hidden by an agent that says it is idle, be it
// before or after.
func TestDialogUnderAnIdleStatus(t *testing.T) {
	trust := []string{" Quick safety check: Is this a project you created or one you trust?", "", " ❯ 1. Yes, I trust this folder", "   2. No, exit"}
	for _, first := range []string{"dialog", "status"} {
		b := newBench(t, "claude")
		if first == "status" {
			b.status(term.Status{State: "idle"})
			b.now = b.now.Add(100 * time.Millisecond)
		}
		b.show("", trust...)
		b.now = b.now.Add(100 * time.Millisecond)
		if first == "dialog" {
			b.status(term.Status{State: "idle"})
		}
		b.never(profile.Ready, time.Minute, nil)
		b.is(profile.Dialogue, "screen")
		b.show("", box("")...)
		b.after(time.Second)
		b.is(profile.Ready, "osc7501")
	}
}

// A hook tells the moments it knows of; what it does not tell comes from below.
func TestHooks(t *testing.T) {
	b := claude(t)
	b.d.Submitted(b.now)
	b.d.Report(state.Report{State: profile.Working}, b.now)
	b.show(busyTitle, busy("❯ hello")...)
	b.is(profile.Working, "hook")
	b.d.Report(state.Report{State: profile.Ready, Final: true, Text: "Hi"}, b.now)
	b.is(profile.Ready, "hook") // at once, though the screen still says otherwise
	b.show(idleTitle, box("", "● Hi")...)
	b.after(time.Minute)
	b.is(profile.Ready, "hook")

	// An error.
	b.d.Submitted(b.now)
	b.d.Report(state.Report{State: profile.Working}, b.now)
	b.d.Report(state.Report{State: state.Failed, Message: "overloaded"}, b.now)
	if v := b.is(profile.Ready, "hook"); !v.Failed || v.Message != "overloaded" {
		t.Errorf("a failed turn: %+v", v)
	}

	// An interrupted turn has no hook.
	b.d.Submitted(b.now)
	b.d.Report(state.Report{State: profile.Working}, b.now)
	b.show(busyTitle, busy("❯ hello")...)
	b.after(10 * time.Second)
	b.is(profile.Working, "hook")
	b.show(idleTitle, box("", "❯ hello", "  ⎿  Interrupted")...)
	b.after(900 * time.Millisecond)
	b.is(profile.Working, "hook")
	b.after(200 * time.Millisecond)
	b.is(profile.Ready, "screen")

	// A question that a person answered at the terminal has none either.
	for _, answer := range []string{"goes on", "is refused"} {
		b.d.Submitted(b.now)
		b.d.Report(state.Report{State: profile.Working}, b.now)
		b.show(busyTitle, busy("❯ hello")...)
		b.d.Report(state.Report{State: profile.Asking, Kind: "permission", Message: "touch zz.txt"}, b.now)
		if v := b.is(profile.Asking, "hook"); v.Message != "touch zz.txt" {
			t.Errorf("a question: %+v", v)
		}
		b.now = b.now.Add(50 * time.Millisecond)
		b.show(idleTitle, asks("❯ hello")...)
		b.after(time.Minute)
		b.is(profile.Asking, "hook")
		if answer == "goes on" {
			b.show(busyTitle, busy("❯ hello")...)
			b.after(400 * time.Millisecond)
			b.is(profile.Working, "screen")
		}
		b.show(idleTitle, box("", "❯ hello")...)
		b.after(1200 * time.Millisecond)
		b.is(profile.Ready, "screen")
	}
}

// A hook that tells of the start tells nothing of its end.
func TestHookOfTheStart(t *testing.T) {
	for _, late := range []bool{false, true} {
		b := newBench(t, "claude")
		if late {
			b.show(idleTitle, box("")...)
			b.now = b.now.Add(100 * time.Millisecond)
		}
		b.d.Report(state.Report{State: profile.Starting}, b.now)
		b.is(profile.Starting, "start")
		b.show(idleTitle, box("")...)
		b.after(400 * time.Millisecond)
		b.is(profile.Ready, "screen")
	}
}

// A hook of an earlier turn that comes late ends no turn that the agent says it
// works on.
func TestLateHook(t *testing.T) {
	b := newBench(t, "codex")
	b.status(term.Status{State: "idle"})
	b.after(time.Second)
	b.d.Submitted(b.now)
	b.now = b.now.Add(50 * time.Millisecond)
	b.status(term.Status{State: "working"})
	b.now = b.now.Add(50 * time.Millisecond)
	b.d.Report(state.Report{State: profile.Ready, Final: true, Text: "the answer before"}, b.now)
	b.after(time.Minute)
	b.is(profile.Working, "osc7501")
	b.status(term.Status{State: "done"})
	if v, _ := b.d.Verdict(b.now); v.State != profile.Ready {
		t.Errorf("the end of the turn: %+v", v)
	}

	// One that comes first waits for the agent's own word, and no longer.
	b.d.Submitted(b.now)
	b.status(term.Status{State: "working"})
	b.now = b.now.Add(50 * time.Millisecond)
	b.d.Report(state.Report{State: profile.Ready, Final: true, Text: "this one"}, b.now)
	b.is(profile.Working, "osc7501")
	b.now = b.now.Add(10 * time.Millisecond)
	b.status(term.Status{State: "done"})
	if v, _ := b.d.Verdict(b.now); v.State != profile.Ready {
		t.Errorf("the end of the turn: %+v", v)
	}
}

// The channel is believed before everybody.
func TestChannelFirst(t *testing.T) {
	b := claude(t)
	b.d.Submitted(b.now)
	b.show(busyTitle, busy("❯ hello")...)
	b.d.Report(state.Report{Source: state.SourceChannel, State: profile.Asking, Kind: "question", Message: "Which?"}, b.now)
	b.d.Report(state.Report{State: profile.Working}, b.now)
	if v := b.is(profile.Asking, "channel"); v.Kind != "question" || v.Confidence != 1 {
		t.Errorf("%+v", v)
	}
	b.d.Report(state.Report{Source: state.SourceChannel, State: profile.Working}, b.now)
	b.d.Report(state.Report{Source: state.SourceChannel, State: profile.Ready}, b.now)
	b.is(profile.Ready, "channel")
}

// A question on the screen is not hidden by a word that the agent works, when
// that word is the older one.
func TestQuestionUnderASilentStatus(t *testing.T) {
	b := claude(t)
	b.status(term.Status{State: "idle"})
	b.d.Submitted(b.now)
	b.status(term.Status{State: "working"})
	b.after(time.Second)
	b.show("Claude Code", asks("❯ hello")...)
	b.is(profile.Working, "osc7501")
	b.after(200 * time.Millisecond)
	b.is(profile.Asking, "screen")
	b.status(term.Status{State: "working"}) // answered; the screen is not drawn yet
	b.is(profile.Working, "osc7501")
	b.show("Claude Code", busy("❯ hello")...)
	b.is(profile.Working, "osc7501")
	// No screen makes an agent ready that says it works.
	b.show("Claude Code", box("", "❯ hello")...)
	b.after(time.Hour)
	b.is(profile.Working, "osc7501")
}

func TestNotificationOfAQuestion(t *testing.T) {
	b := claude(t)
	b.d.Submitted(b.now)
	b.show(busyTitle, busy("❯ hello")...)
	b.now = b.now.Add(time.Second)
	b.event(term.Event{Kind: term.EventNotify, Code: 9, Text: "All done: 42"}) // an answer is no state
	b.is(profile.Working, "screen")
	b.event(term.Event{Kind: term.EventNotify, Code: 9, Text: "Approval requested: touch zz"})
	if v := b.is(profile.Asking, "notification"); v.Kind != "permission" || v.Message != "Approval requested: touch zz" {
		t.Errorf("%+v", v)
	}
	b.show(idleTitle, asks("❯ hello")...)
	b.after(time.Second)
	b.is(profile.Asking, "notification")
	b.show(busyTitle, busy("❯ hello")...)
	b.after(400 * time.Millisecond)
	b.is(profile.Working, "screen")
}

// OSC 9;4 is a bar of whatever runs; only of an agent that draws a screen does
// its end mean that the turn has ended, unless the screen says otherwise.
func TestProgress(t *testing.T) {
	b := claude(t)
	b.d.Submitted(b.now)
	b.event(term.Event{Kind: term.EventProgress, Code: 3, Percent: -1})
	b.show(idleTitle, box("", "❯ hello")...)
	b.is(profile.Working, "progress")
	b.show(busyTitle, busy("❯ hello")...)
	b.event(term.Event{Kind: term.EventProgress, Code: 0})
	b.after(time.Minute)
	b.is(profile.Working, "screen")
	b.show(idleTitle, asks("❯ hello")...)
	b.after(time.Minute)
	b.is(profile.Asking, "screen")
	b.show(idleTitle, box("", "❯ hello")...)
	b.after(2 * time.Second)
	b.is(profile.Ready, "progress")
}

// A signless frame between two does not end what was known.
func TestScreenThatTellsNothing(t *testing.T) {
	b := claude(t)
	b.d.Submitted(b.now)
	b.show(busyTitle, busy("❯ hello")...)
	b.is(profile.Working, "screen")
	b.show("x", "something", "else")
	b.after(time.Hour)
	b.is(profile.Working, "screen")
	b.show(idleTitle, box("", "❯ hello", "● x")...)
	b.after(time.Second)
	b.is(profile.Ready, "screen")
	b.show("x", "something", "else")
	b.is(profile.Ready, "screen")
	b.after(400 * time.Millisecond)
	b.is(profile.Unknown, "screen")
}

// What still stands in the input box has not been sent: new text above it is not
// its answer.
func TestMessageThatStaysInTheBox(t *testing.T) {
	b := claude(t)
	b.d.Submitted(b.now)
	b.show(idleTitle, box("hello", "● a tip of the day")...)
	b.after(4 * time.Second)
	b.is(profile.Working, "submit")
}

// A stranger that draws its screen tells by nothing but its interrupt hint: when
// that has gone, silence says that it is ready.
func TestStrangerWithAHint(t *testing.T) {
	b := newBench(t, "generic")
	b.show("", "Welcome", "", "| type here |")
	b.after(6 * time.Second)
	b.is(profile.Ready, "quiet")
	b.d.Submitted(b.now)
	b.show("", "Thinking (esc to interrupt)", "", "| type here |")
	if v := b.is(profile.Working, "screen"); v.Confidence != 0.6 {
		t.Errorf("%+v", v)
	}
	b.never(profile.Ready, 10*time.Second, nil) // the model pauses
	b.show("", "The answer", "", "| type here |")
	b.after(4900 * time.Millisecond)
	b.is(profile.Working, "submit")
	b.after(200 * time.Millisecond)
	b.is(profile.Ready, "quiet")
}

// A REPL that nothing is known of is ready when there is a prompt below the one
// that was typed at; that there is none does not mean so for half a minute.
func TestStrangerWithAPrompt(t *testing.T) {
	b := newBench(t, "generic")
	b.show("", "welcome", "acme> ")
	b.after(time.Second)
	b.is(profile.Ready, "prompt")
	b.d.Submitted(b.now)
	b.show("", "welcome", "acme> 6*7", "42", "acme> ")
	b.after(1100 * time.Millisecond)
	b.is(profile.Ready, "prompt")
	b.d.Submitted(b.now)
	b.show("", "welcome", "acme> 6*7", "42", "acme> wait", "")
	b.never(profile.Ready, 29*time.Second, nil)
	b.after(2 * time.Second)
	b.is(profile.Ready, "quiet")
}
