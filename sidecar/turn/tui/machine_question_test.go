package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

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

// TestSameQuestionAgain: a program that prints lines and asks the same thing once more gets no
// answer that nobody gave.
func TestSameQuestionAgain(t *testing.T) {
	s := newScene(t)
	s.m.profile = profile.Generic()
	s.e.mode.Canonical = true
	s.shows("Overwrite a? [y/n] ")
	s.says(profile.Asking)
	s.m.begin(toAsk, round{})
	s.pass(2 * time.Second)
	s.at(asking)
	s.answers("1")
	s.step()
	s.has("y\r")
	s.shows("Overwrite a? [y/n] y", "Overwrite a? [y/n] ")
	s.finishes("")
	s.has("y\r")
}

// TestQuestionThatStays: a question that an answer does not remove is put to the caller again, because
// it may be another one with the same words. Nothing is declined before it was put asksMost times.
func TestQuestionThatStays(t *testing.T) {
	s := newScene(t)
	s.asked()
	for n := 1; n < asksMost; n++ {
		s.pass(time.Second)
		s.acts = nil
		s.answers("1")
		s.pass(s.m.timing.TakenLimit + time.Second)
		s.at(asking)
		if s.typed() != "1" || strings.Count(s.m.query.Text, "still stands") != 1 {
			t.Fatalf("typed %q, and asks %q", s.typed(), s.m.query.Text)
		}
	}
	s.acts = nil
	s.answers("1")
	s.pass(s.m.timing.TakenLimit + time.Second)
	s.finishes("did not take the answer")
	s.has("12")
}
