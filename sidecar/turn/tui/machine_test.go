package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// finishes fails the test unless the run ends within a minute, with an error that has these
// words; none: without an error.
func (s *scene) finishes(words string) {
	s.Helper()
	s.pass(time.Minute)
	switch {
	case !s.m.done:
		s.Fatalf("phase %d goes on; typed %q", s.m.phase, s.typed())
	case words == "" && s.m.err != nil, words != "" && (s.m.err == nil || !strings.Contains(s.m.err.Error(), words)):
		s.Errorf("the end is %v, want %q", s.m.err, words)
	}
}

// has fails the test unless exactly that was typed.
func (s *scene) has(keys string) {
	s.Helper()
	if got := s.typed(); got != keys {
		s.Errorf("typed %q, want %q", got, keys)
	}
}

const hello = "\x1b[200~hello\x1b[201~"

func TestAnswer(t *testing.T) {
	for _, c := range []struct {
		about  string
		turn   func(s *scene)
		answer string
		err    string
	}{
		{"of the screen", func(s *scene) {
			s.works()
			s.shows("you: hello", "• fine", "WORK", "> ")
			s.step()
			s.shows("you: hello", "• fine", "  thanks", "> ")
			s.says(profile.Ready)
		}, "fine\nthanks", ""},
		{"of a hook", func(s *scene) {
			s.works()
			s.shows("you: hello", "• fi", "WORK", "> ")
			s.e.reports = console.Reports{Known: true, Begun: true, Any: true, Text: "fi"}
			s.step()
			s.e.reports.Text, s.e.reports.Final = "fine", true
			s.shows("you: hello", "• fine", "> ")
			s.reports(profile.Ready)
		}, "fine", ""},
		{"that was drawn otherwise than a hook says", func(s *scene) {
			s.works()
			s.shows("you: hello", "• fine and bold", "", "• more", "WORK", "> ")
			s.step()
			s.shows("you: hello", "• fine and bold", "", "• more", "> ")
			s.e.reports = console.Reports{Known: true, Begun: true, Any: true, Text: "fine and **bold**\n\nmore", Final: true}
			s.reports(profile.Ready)
		}, "fine and **bold**\n\nmore", ""},
		{"that came before anybody saw work", func(s *scene) {
			s.enters()
			s.shows("you: hello", "• fine", "> ")
			s.says(profile.Ready)
		}, "fine", ""},
		{"that the agent draws after its end", func(s *scene) {
			s.works()
			s.shows("you: hello", "> ")
			s.reports(profile.Ready)
			s.pass(500 * time.Millisecond)
			s.shows("you: hello", "• fine", "> ")
		}, "fine", ""},
		{"that ends with done over the channel", func(s *scene) {
			s.works()
			s.shows("you: hello", "• fine", "WORK", "> ")
			s.e.over = true
		}, "fine", ""},
		{"to a message that no hook reports", func(s *scene) {
			s.e.reports.Turns = true
			s.enters()
			s.shows("you: hello", "• fine", "> ")
			s.says(profile.Ready)
		}, "fine", ""},
		{"to another message", func(s *scene) {
			s.e.reports.Turns = true
			s.enters()
			s.shows("you: before", "• late", "> ")
			s.says(profile.Ready)
		}, "", "did not take the message"},
		{"after a pause", func(s *scene) {
			s.e.reports.Known = true
			s.works()
			s.shows("you: hello", "• fine", "> ")
			s.says(profile.Ready)
			s.step()
			s.at(telling)
			s.shows("you: hello", "• fine", "WORK", "> ")
			s.says(profile.Working)
			s.step()
			s.at(working)
			s.shows("you: hello", "• fine", "• more", "> ")
			s.says(profile.Ready)
		}, "fine\n\nmore", ""},
	} {
		t.Run(c.about, func(t *testing.T) {
			s := newScene(t)
			c.turn(s)
			s.finishes(c.err)
			if got := s.answer(); got != c.answer {
				t.Errorf("the answer is %q, want %q", got, c.answer)
			}
			s.has(hello + "\r")
		})
	}
}

func TestFailure(t *testing.T) {
	s := newScene(t)
	s.works()
	s.shows("you: hello", "> ")
	s.reports(profile.Ready)
	s.e.Verdict.Failed, s.e.Verdict.Message = true, "overloaded"
	s.finishes("")
	if !s.m.failed || s.m.why != "overloaded" {
		t.Errorf("failed %v: %q", s.m.failed, s.m.why)
	}
}

func TestStop(t *testing.T) {
	stop := errors.New("stopped")
	s := newScene(t)
	s.works()
	s.shows("you: hello", "• a part", "WORK", "> ")
	s.e.stop = stop
	s.step()
	if s.m.err != stop || s.answer() != "a part" {
		t.Errorf("%v with %q", s.m.err, s.answer())
	}
	s = newScene(t)
	s.e.held = false
	s.delivers()
	s.e.stop = stop
	s.step()
	if s.m.err != stop || s.typed() != "" {
		t.Errorf("%v with %q", s.m.err, s.typed())
	}
	s.e.stop = nil
	s.goes(toStop)
	s.has("")
	s.finishes("")
}

func TestNotReady(t *testing.T) {
	for _, c := range []struct {
		show func(s *scene)
		why  string
	}{
		{func(s *scene) { s.shows("TIP"); s.says(profile.Dialogue); s.e.Verdict.Rule = "tip" }, "a dialog is open: tip"},
		{func(s *scene) { s.shows("WORK", "> "); s.says(profile.Working) }, "it is at work"},
		{func(s *scene) { s.shows("welcome") }, "its input is not on the screen"},
		{func(s *scene) { s.shows("welcome to it"); s.says(profile.Unknown) }, `the last row is "welcome to it"`},
	} {
		s := newScene(t)
		s.m.ready = 30 * time.Second
		c.show(s)
		s.delivers()
		s.pass(30*time.Second - time.Millisecond)
		if s.m.done {
			t.Errorf("it is over before its time: %v", s.m.err)
		}
		s.finishes(c.why)
	}
	s := newScene(t)
	s.m.untypable = "there is no input"
	s.delivers()
	s.finishes("there is no input; nothing was typed")
}

// TestReadyOnce: the two waits of a turn have one limit.
func TestReadyOnce(t *testing.T) {
	s := newScene(t)
	s.m.ready = 30 * time.Second
	s.shows("WORK", "> ")
	s.says(profile.Working)
	s.m.begin(toReady, round{})
	s.pass(20 * time.Second)
	s.idle()
	s.says(profile.Ready)
	s.step()
	if !s.m.done || s.m.err != nil {
		t.Fatalf("done %v: %v", s.m.done, s.m.err)
	}
	s.shows("WORK", "> ")
	s.says(profile.Working)
	s.delivers()
	s.pass(10*time.Second - time.Millisecond)
	if s.m.done {
		t.Error("it is over before its time")
	}
	s.pass(time.Millisecond)
	if !s.m.done {
		t.Error("the second wait has a limit of its own")
	}
}

// TestReadyWaitsForAPerson: without a limit, and the task says so after a second.
func TestReadyWaitsForAPerson(t *testing.T) {
	for what, show := range map[string]func(s *scene){
		console.LineOfPerson: func(s *scene) { s.input("dra") },
		console.TurnOfPerson: func(s *scene) { s.shows("WORK", "> "); s.says(profile.Working) },
	} {
		s := newScene(t)
		s.m.ready, s.e.occupied = 30*time.Second, true
		show(s)
		s.delivers()
		s.pass(console.TellTime - time.Millisecond)
		if s.did(waitFor(what)) {
			t.Errorf("told too early: %s", what)
		}
		s.pass(10 * time.Minute)
		if s.m.done || !s.did(waitFor(what)) || s.typed() != "" {
			t.Errorf("%s: done %v, typed %q", what, s.m.done, s.typed())
		}
		s.idle()
		s.says(profile.Ready)
		s.pass(time.Second)
		s.has(hello)
		if !s.did(waitFor("")) {
			t.Error("it still says that it waits")
		}
	}
}

func TestDismiss(t *testing.T) {
	s := newScene(t)
	s.shows("TIP")
	s.says(profile.Dialogue)
	s.e.occupied = true
	s.delivers()
	s.pass(time.Minute)
	s.has("") // a person has the choice
	s.e.occupied = false
	s.step()
	s.has("\x1b")
	s.idle()
	s.says(profile.Ready)
	s.pass(time.Second)
	s.has("\x1b" + hello)
}

// TestTyping: no Enter follows where the message would be lost, or go with other text.
func TestTyping(t *testing.T) {
	for _, c := range []struct {
		about string
		show  func(s *scene)
		typed string
		err   string
	}{
		{"a dialog comes up", func(s *scene) { s.asks() }, hello, "a dialog came up"},
		{"the agent begins to work, and keeps the message", func(s *scene) {
			s.m.profile.Busy = profile.BusyQueue
			s.input("hello")
			s.says(profile.Working)
			s.pass(time.Second)
			s.at(entered)
			s.e.stop = errors.New("enough")
		}, hello + "\r", "enough"},
		{"the agent begins to work, and would lose it", func(s *scene) {
			s.input("hello")
			s.says(profile.Working)
			s.pass(time.Second)
			s.idle()
			s.step()
			s.at(waiting)
			s.e.stop = errors.New("enough")
		}, hello + "\x03", "enough"},
		{"it cannot be taken back", func(s *scene) {
			s.input("hello")
			s.says(profile.Working)
		}, hello + "\x03", "it still stands in the input"},
		{"other text comes before it", func(s *scene) {
			s.input("older hello")
			s.pass(time.Second)
			s.idle()
			s.pass(time.Second)
			s.e.stop = errors.New("enough")
		}, hello + "\x03" + hello, "enough"},
	} {
		t.Run(c.about, func(t *testing.T) {
			s := newScene(t)
			s.types()
			c.show(s)
			s.finishes(c.err)
			s.has(c.typed)
		})
	}
}

// TestEscapeFirst: what makes a message text is a key of its own.
func TestEscapeFirst(t *testing.T) {
	s := newScene(t)
	p := *s.m.profile
	p.Submit.EscapeFirst, p.CommandEscapes = true, map[string]string{"!": " "}
	s.m.profile = &p
	body, err := s.m.escape("!ls")
	if err != nil || body != " !ls" {
		t.Fatalf("%q %v", body, err)
	}
	s.m.begin(toDeliver, round{body: body})
	s.m.phase = waiting
	s.step()
	s.has(" ")
	s.pass(time.Second)
	s.has(" \x1b[200~!ls\x1b[201~")
}

func TestEnterThatBecomesText(t *testing.T) {
	s := newScene(t)
	s.enters()
	s.shows("welcome", "> hello", "| ")
	s.pass(600 * time.Millisecond)
	s.idle() // it was only late
	s.step()
	s.at(taken)
	s.has(hello + "\r")
}

// TestLeft: an agent that says that it is done needs no input to have taken the message.
func TestLeft(t *testing.T) {
	s := newScene(t)
	s.enters()
	s.shows("you: hello", "• fine")
	s.pass(time.Second)
	s.at(entered)
	s.reports(profile.Ready)
	s.finishes("")
	if s.answer() != "fine" {
		t.Errorf("the answer is %q", s.answer())
	}
}

// TestInterruptWhileTyped: a message whose echo has not come is cleared once it is
// there.
func TestInterruptWhileTyped(t *testing.T) {
	s := newScene(t)
	s.types()
	s.e.stop = errors.New("cancelled")
	s.step()
	s.e.stop = nil
	s.goes(toStop)
	s.pass(time.Second)
	s.has(hello)
	s.input("hello")
	s.pass(time.Second)
	s.has(hello + "\x03")
	s.idle()
	s.finishes("")
}

func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		about string
		show  func(s *scene)
		typed string
	}{
		{"at work", func(s *scene) { s.idle(); s.says(profile.Ready) }, "\x1b"},
		{"and the message is put back", func(s *scene) {
			s.input("hello")
			s.says(profile.Ready)
			s.pass(time.Second)
			s.idle()
		}, "\x1b\x03"},
		{"and a person types meanwhile", func(s *scene) {
			s.e.occupied = true
			s.input("mine")
			s.says(profile.Ready)
		}, "\x1b"},
		{"and a question comes up, and goes", func(s *scene) {
			s.asks()
			s.pass(900 * time.Millisecond)
			s.idle()
			s.says(profile.Ready)
		}, "\x1b"},
		{"and a question comes up, and stays", func(s *scene) {
			s.asks()
			s.pass(1500 * time.Millisecond)
			s.idle()
			s.says(profile.Ready)
		}, "\x1b\x1b"},
	} {
		t.Run(c.about, func(t *testing.T) {
			s := newScene(t)
			s.works()
			s.acts = nil
			s.goes(toStop)
			c.show(s)
			s.finishes("")
			s.has(c.typed)
		})
	}
}

// TestQuestion: what is typed for a question, and when nothing is.
func TestQuestion(t *testing.T) {
	for _, c := range []struct {
		about  string
		answer func(s *scene)
		typed  string
		does   action
	}{
		{"an option", func(s *scene) { s.answers("3") }, "a", nil},
		{"nobody decides", func(s *scene) { s.e.answer = &answered{err: task.ErrDeadline} }, "2", note{key: "undecided", text: task.ErrDeadline.Error()}},
		{"an option that is not there", func(s *scene) { s.e.answer = &answered{Answer: task.Answer{OptionID: "x"}} }, "2", nil},
		{"a person answers first", func(s *scene) {
			s.shows("WORK", "> ")
			s.says(profile.Working)
			s.pass(time.Second)
			s.at(withdrawn)
			s.e.answer = &answered{err: errVanished}
		}, "", withdraw{}},
		{"both at once", func(s *scene) {
			s.shows("WORK", "> ")
			s.says(profile.Working)
			s.pass(time.Second)
			s.e.answer = &answered{}
		}, "", note{key: "answeredAtTerminal"}},
		{"a redraw hides it", func(s *scene) {
			s.shows("")
			s.pass(100 * time.Millisecond)
			s.asks()
			s.pass(time.Second)
			s.answers("1")
		}, "1", nil},
		{"another one takes its place", func(s *scene) {
			s.e.held = false
			s.answers("1")
			s.shows("May I stay?", "❯ 1. Yes", "  2. No")
			s.e.held = true
		}, "", note{key: "answeredAtTerminal"}},
	} {
		t.Run(c.about, func(t *testing.T) {
			s := newScene(t)
			s.asked()
			s.pass(time.Second)
			s.acts = nil
			c.answer(s)
			s.step()
			s.has(c.typed)
			if c.does != nil && !s.did(c.does) {
				t.Errorf("it has not done %v: %v", c.does, s.acts)
			}
		})
	}
}

func TestHeadlessQuestion(t *testing.T) {
	for _, person := range []bool{false, true} {
		s := newScene(t)
		s.m.headless, s.e.occupied = true, person
		s.works()
		s.acts = nil
		s.asks()
		s.pass(time.Second)
		if want := map[bool]string{false: "2"}[person]; s.typed() != want || s.did(putQuestion{}) {
			t.Errorf("a person %v: typed %q", person, s.typed())
		}
		s.shows("WORK", "> ")
		s.says(profile.Working)
		s.pass(time.Second)
		s.at(working)
	}
}

// TestUnreadableQuestion: a caller can only cancel it.
func TestUnreadableQuestion(t *testing.T) {
	s := newScene(t)
	s.works()
	s.shows("What now?")
	s.says(profile.Asking)
	s.pass(10 * time.Second)
	s.at(asking)
	if len(s.m.query.Options) != 1 || s.m.query.Options[0].ID != "cancel" {
		t.Errorf("options %v", s.m.query.Options)
	}
	s.acts = nil
	s.e.answer = &answered{Answer: task.Answer{OptionID: "cancel"}}
	s.step()
	s.has("\x1b")
}

// TestFreeAnswer: a program that reads lines gets text that it does not run as a
// command, and Enter once the text is drawn where the terminal does not edit lines.
func TestFreeAnswer(t *testing.T) {
	for _, c := range []struct {
		text, typed, err string
		canonical        bool
	}{
		{"bob", "bob\r", "", true},
		{"two\nlines", "two lines\r", "", true},
		{"bob", "bob\r", "", false},
		{"!ls", "\x1b", "begins with", true},
		{strings.Repeat("x", 5000), "\x1b", "cuts lines", true},
	} {
		s := newScene(t)
		s.shows("name? ")
		s.says(profile.Asking)
		s.e.Verdict.Source, s.e.Verdict.Kind = state.SourceQuiet, profile.KindQuestion
		s.e.mode = tty.Mode{Canonical: c.canonical, Echo: true}
		s.m.begin(toAsk, round{})
		s.step()
		s.at(asking)
		s.e.answer = &answered{Answer: task.Answer{Text: c.text}}
		s.pass(2 * time.Second)
		s.has(c.typed)
		if c.err == "" {
			s.says(profile.Working)
			s.shows("name? bob", "")
		}
		s.finishes(c.err)
	}
}

// TestSecretIsRead: the cursor's next row shows it, though the same question stands there.
func TestSecretIsRead(t *testing.T) {
	s := newScene(t)
	s.awaitsSecret()
	s.pass(20 * time.Second)
	if s.m.done {
		t.Fatal(s.m.err)
	}
	s.shows("Password: ", "Password: ")
	s.finishes("")
}

// TestRedrawOfAQuietTurn: an agent at work is made to draw its input, and what a person
// does to the size stays for the engine to see.
func TestRedrawOfAQuietTurn(t *testing.T) {
	s := newScene(t)
	s.works()
	s.shows("stray")
	s.says(profile.Unknown)
	s.pass(6 * time.Second)
	if !s.did(shrink{}) || !s.did(restore{}) {
		t.Errorf("it is not drawn again: %v", s.acts)
	}
	s.at(working)
}

// TestPersonsTurn: the turn that a person began after ours is none of it.
func TestPersonsTurn(t *testing.T) {
	s := newScene(t)
	s.works()
	s.e.reports = console.Reports{Known: true, Begun: true, Any: true, Text: "fine", Final: true}
	s.e.keys++
	s.step()
	if !s.m.done || s.answer() != "fine" {
		t.Errorf("done %v with %q", s.m.done, s.answer())
	}
}
