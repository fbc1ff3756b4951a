package tui

import (
	"errors"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

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
