package tui

import (
	"errors"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

var errStopped = errors.New("stopped")

// ends stops the run.
func (s *scene) ends() {
	s.e.stop = errStopped
	s.step()
	s.e.stop = nil
	if !s.m.done || s.m.err != errStopped {
		s.Fatalf("done %v, %v", s.m.done, s.m.err)
	}
}

// A turn that ends while a dialog is closed for it has typed no message: nothing on the
// screen is its answer, and no other turn is stopped for it.
func TestStopBeforeTheMessage(t *testing.T) {
	s := newScene(t)
	s.deliversTo("TIP")
	s.at(closing)
	s.ends()
	s.shows("you: other", "• an answer to somebody else", "WORK", "> ")
	s.says(profile.Working)
	s.acts = nil
	s.goes(toStop)
	s.pass(time.Minute)
	if !s.m.done || len(s.acts) > 0 {
		t.Errorf("done %v, %v", s.m.done, s.acts)
	}
}

// deliversTo begins to deliver hello to an agent with a dialog.
func (s *scene) deliversTo(dialog string) {
	s.shows(dialog)
	s.says(profile.Dialogue)
	s.delivers()
}

// A paste stays cut until its end was typed.
func TestCutPaste(t *testing.T) {
	s := newScene(t)
	s.types()
	s.e.failed = errors.New("the agent reads nothing")
	s.step()
	s.m.again(toStop)
	if acts, _ := s.m.step(s.e); len(acts) != 1 || acts[0] != typeKeys(pasteEnd) {
		t.Fatal(acts)
	}
	s.e.failed = errors.New("the agent still reads nothing")
	s.step()
	s.acts = nil
	s.idle()
	s.delivers()
	if s.presses("") != 1 {
		t.Errorf("the paste is not ended: typed %q", s.typed())
	}
	s.pass(10 * time.Second)
	if s.presses("") != 1 {
		t.Errorf("the paste is ended again: typed %q", s.typed())
	}
}

// A message that was typed and not sent may appear in the input when the next turn has
// begun.
func TestLateEcho(t *testing.T) {
	s := newScene(t)
	s.types()
	s.ends()
	s.goes(toStop)
	s.pass(time.Second)
	s.ends()
	s.acts = nil
	s.delivers()
	s.pass(3 * time.Second)
	if s.typed() != "" {
		t.Fatalf("the next message is typed before the last one is shown: %q", s.typed())
	}
	s.input("hello")
	s.pass(time.Second)
	if s.presses("\x03") != 1 {
		t.Errorf("the last message is not cleared: typed %q", s.typed())
	}
}

// A question that cannot be read, and goes, is not put to the caller, whatever says what
// the agent does then.
func TestUnreadableQuestionGoes(t *testing.T) {
	s := newScene(t)
	s.works()
	s.says(profile.Asking)
	s.pass(time.Second)
	s.at(unread)
	s.says(profile.Working)
	s.e.Verdict.Source = state.SourceReadline
	s.pass(100 * time.Millisecond)
	if s.did(putQuestion{}) {
		t.Error("the caller is asked")
	}
	s.at(working)
}

// People's keys for a question that the caller has answered are dropped, though the turn
// ends before the question goes.
func TestStopAfterAnAnswer(t *testing.T) {
	s := newScene(t)
	s.asked()
	s.pass(time.Second)
	s.answers("1")
	s.at(confirming)
	s.ends()
	if !s.did(dropKeys(300 * time.Millisecond)) {
		t.Errorf("%v", s.acts)
	}
}

// An Enter that was taken for text, and then sends the message after all, is no failure.
func TestLastEnterSends(t *testing.T) {
	s := newScene(t)
	s.enters()
	rows := []string{"welcome", "> hello"}
	for range 5 {
		rows = append(rows, "| ")
		s.shows(rows...)
		s.pass(600 * time.Millisecond)
		if s.presses("\r") == 5 {
			break
		}
		s.pass(400 * time.Millisecond)
	}
	s.idle()
	s.pass(100 * time.Millisecond)
	if s.m.err != nil {
		t.Error(s.m.err)
	}
}

// The echo is back before the agent is seen to ask no longer. Meanwhile it is not asked
// about again.
func TestEchoIsBackFirst(t *testing.T) {
	s := newScene(t)
	s.awaitsSecret()
	s.e.mode.Echo = true
	s.pass(50 * time.Millisecond)
	if s.m.done {
		t.Fatal("the question is over before the agent is seen to go on")
	}
	s.m.begin(toAsk, round{})
	s.acts = nil
	s.pass(50 * time.Millisecond)
	if s.m.done || s.did(putQuestion{}) {
		t.Fatalf("done %v, %v", s.m.done, s.acts)
	}
	s.says(profile.Working)
	s.step()
	if !s.m.done || s.m.err != nil || s.did(putQuestion{}) {
		t.Errorf("done %v, %v, %v", s.m.done, s.m.err, s.acts)
	}
}

// It is when it asks for another secret.
func TestNextSecret(t *testing.T) {
	s := newScene(t)
	s.awaitsSecret()
	s.shows("Password: ", "Password: ")
	s.step()
	if !s.m.done || s.m.err != nil {
		t.Fatalf("done %v, %v", s.m.done, s.m.err)
	}
	s.acts = nil
	s.m.begin(toAsk, round{})
	s.step()
	if !s.did(putQuestion{}) {
		t.Error("the caller is not asked")
	}
}
