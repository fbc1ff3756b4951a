package tui

import (
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

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
