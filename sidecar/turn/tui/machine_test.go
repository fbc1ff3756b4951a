package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
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
