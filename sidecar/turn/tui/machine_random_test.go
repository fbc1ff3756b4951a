package tui

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// TestAnyWorld: whatever an agent shows and says, and in whatever order, the machine
// waits for something, types a message only while it has the terminal, does nothing once
// a run is over, and gets a turn stopped and the agent idle once that is so.
func TestAnyWorld(t *testing.T) {
	for seed := range uint64(300) {
		s := newScene(t)
		r := rand.New(rand.NewPCG(seed, 9))
		s.m.hooked, s.m.ready = seed%2 == 0, time.Minute
		s.delivers()
		for range 60 {
			s.befalls(r)
			before, done := len(s.acts), s.m.done
			s.pass(time.Duration(r.Int64N(int64(3 * time.Second))))
			for _, a := range s.acts[before:] {
				if keys, ok := a.(typeKeys); ok && !s.e.held && s.m.goal == toDeliver && keys == hello {
					t.Fatalf("seed %d: the message is typed without the terminal", seed)
				}
			}
			if done && len(s.acts) > before {
				t.Fatalf("seed %d: it goes on after its end: %v", seed, s.acts[before:])
			}
			if !s.m.done && s.due.IsZero() && s.m.phase == waiting {
				t.Fatalf("seed %d: nothing ends the wait", seed)
			}
		}
		if n := s.presses("\r"); n > s.m.timing.EnterTries+1 {
			t.Fatalf("seed %d: Enter was typed %d times", seed, n)
		}
		s.e.stop = errStopped
		s.step()
		if !s.m.done {
			t.Fatalf("seed %d: phase %d does not stop", seed, s.m.phase)
		}
		s.e.stop, s.e.over = nil, false
		s.idle()
		s.says(profile.Ready)
		s.goes(toStop)
		s.pass(time.Minute)
		if !s.m.done || s.m.err != nil {
			t.Fatalf("seed %d: phase %d is not idle: %v", seed, s.m.phase, s.m.err)
		}
	}
}

// befalls lets something happen.
func (s *scene) befalls(r *rand.Rand) {
	switch r.IntN(14) {
	case 0:
		s.idle()
	case 1, 2:
		s.input("hello")
	case 3:
		s.shows("welcome", "> hello", "| ")
	case 4:
		s.shows("you: hello", "• fine", "WORK", "> ")
		s.says(profile.Working)
	case 5:
		s.asks()
	case 6:
		s.shows("TIP")
		s.says(profile.Dialogue)
	case 7:
		s.shows("stray")
		s.says(profile.Unknown)
	case 8:
		s.idle()
		s.says(profile.Ready)
	case 9:
		s.reports(profile.Ready)
	case 10:
		s.says(profile.Asking)
	case 11:
		s.e.reports = console.Reports{Known: true, Begun: true, Any: true, Text: "fine", Final: r.IntN(2) == 0}
	case 12:
		s.e.occupied, s.e.held = r.IntN(2) == 0, r.IntN(4) > 0
		s.e.keys += uint64(r.IntN(2))
	case 13:
		if s.m.phase == asking || s.m.phase == withdrawn {
			s.e.answer = &answered{Answer: task.Answer{OptionID: "1"}}
			if r.IntN(3) == 0 {
				s.e.answer = &answered{err: errors.New("too late")}
			}
		}
	}
}
