package tui

import (
	"reflect"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// durations are what happens that long, and not a millisecond earlier, after the world
// is as begin makes it. The values are those that real agents need.
var durations = []struct {
	field  string // of profile.Timing
	about  string
	lasts  time.Duration
	begin  func(s *scene)
	passed func(s *scene) bool
}{
	{"PasteMode", "an agent without pastes is typed to", 2 * time.Second, func(s *scene) {
		s.e.Verdict.Since = s.e.now
		s.e.Screen.Modes.BracketedPaste = false
		s.delivers()
	}, typesHello},
	{"BusyAgain", "an agent that was found ready late gets some time again", 5 * time.Second, func(s *scene) {
		s.m.ready = 10 * time.Second
		s.shows("WORK")
		s.says(profile.Working)
		s.m.begin(toReady, round{})
		s.pass(9 * time.Second)
		s.idle()
		s.says(profile.Ready)
		s.step()
		s.says(profile.Working)
		s.delivers()
	}, finished},
	{"StaleWork", "a hint that was left behind is not believed", 5 * time.Second, func(s *scene) {
		s.shows("WORK", "> ")
		s.e.Verdict.Since = s.e.now
		s.delivers()
	}, func(s *scene) bool { return s.did(holdKeys{}) }},
	{"DismissLimit", "a dialog is closed again", 2 * time.Second, func(s *scene) {
		s.shows("TIP")
		s.says(profile.Dialogue)
		s.delivers()
	}, func(s *scene) bool { return s.presses("\x1b") == 2 }},
	{"HiddenHold", "a ready agent shows its input again", 2 * time.Second, func(s *scene) {
		s.shows("welcome")
		s.e.Verdict.Since = s.e.now
		s.delivers()
	}, func(s *scene) bool { return s.did(shrink{}) }},
	{"BlankHold", "a blank screen is drawn again", 5 * time.Second, func(s *scene) {
		s.shows("welcome")
		s.says(profile.Unknown)
		s.delivers()
	}, func(s *scene) bool { return s.did(shrink{}) }},
	{"RedrawGap", "and again", 5 * time.Second, func(s *scene) {
		s.shows("welcome")
		s.delivers()
		s.pass(500 * time.Millisecond)
		s.acts = nil
	}, func(s *scene) bool { return s.did(shrink{}) }},
	{"ResizeHold", "the size comes back", 500 * time.Millisecond, func(s *scene) {
		s.shows("welcome")
		s.delivers()
	}, func(s *scene) bool { return s.did(restore{}) }},

	{"ClearLimit", "an input that stays full is told", time.Second, func(s *scene) {
		s.input("old")
		s.delivers()
	}, func(s *scene) bool { return s.m.done && s.m.err == errHolds }},
	{"ClearGap", "the keys are typed again", time.Second, func(s *scene) {
		s.input("old")
		s.m.cleared = s.e.now
		s.delivers()
	}, func(s *scene) bool { return s.presses("\x03") == 1 }},
	{"EmptyHold", "an empty input is typed into", 200 * time.Millisecond, func(s *scene) {
		s.idle()
		s.delivers()
	}, typesHello},

	{"KeyGap", "the next key follows though none is shown", 150 * time.Millisecond, func(s *scene) {
		s.clears("x", "y")
	}, func(s *scene) bool { return s.presses("y") == 1 }},
	{"KeyGap", "the next key follows an Esc, whatever is drawn", 150 * time.Millisecond, func(s *scene) {
		s.clears("\x1b", "y")
		s.input("older")
		s.step()
	}, func(s *scene) bool { return s.presses("y") == 1 }},
	{"AnswerGap", "the next key of an answer follows", 2 * time.Second, func(s *scene) {
		s.asked()
		s.pass(time.Second)
		s.answers("3")
	}, func(s *scene) bool { return s.presses("b") == 1 }},
	{"ShowLimit", "a message that does not appear is lost", 5 * time.Second, (*scene).types, finished},
	{"PartHold", "a part is all there is to see", time.Second, func(s *scene) {
		s.types()
		s.input("hel")
	}, entersOnce},
	{"SettleLimit", "a cursor's row that never rests", 2 * time.Second, func(s *scene) {
		s.types()
		s.input("hello")
		s.every, s.tick = 100*time.Millisecond, func(n int) { s.input("hello" + []string{"", " "}[n%2]) }
	}, entersOnce},

	{"LeaveLimit", "a message that stays is taken back", 3 * time.Second, func(s *scene) {
		s.enters()
		s.e.Screen.Output = s.e.now.Add(time.Millisecond)
	}, func(s *scene) bool { return s.presses("\x03") == 1 }},
	{"StallLimit", "an agent that draws nothing after Enter", 20 * time.Second, func(s *scene) {
		s.m.timing.LeaveLimit = time.Second // how often it is looked at
		s.enters()
	}, finished},
	{"StallLimit", "an input that is not drawn again", 20 * time.Second, func(s *scene) {
		s.m.timing.LeaveLimit = time.Second
		s.enters()
		s.shows("welcome")
		s.e.Screen.Output = s.e.now.Add(time.Millisecond)
	}, finished},
	{"EnterGap", "Enter follows the one that became text", 700 * time.Millisecond, func(s *scene) {
		s.enters()
		s.shows("welcome", "> hello", "| ")
	}, func(s *scene) bool { return s.presses("\r") == 2 }},

	{"BeginLimit", "an agent that shows nothing has nothing to say", 20 * time.Second, func(s *scene) {
		s.enters()
		s.idle()
		s.says(profile.Ready)
	}, finished},
	{"UntoldHold", "the screen is believed where hooks are silent", 10 * time.Second, func(s *scene) {
		s.e.reports.Turns = true
		s.works()
		s.idle()
		s.says(profile.Ready)
	}, finished},
	{"UntoldLimit", "and where it goes on drawing", 30 * time.Second, func(s *scene) {
		s.e.reports.Turns = true
		s.works()
		s.idle()
		s.says(profile.Ready)
		s.every, s.tick = time.Second, func(int) { s.idle() }
	}, finished},
	{"ReportLimit", "the screen's text is the answer", time.Second, func(s *scene) {
		s.e.reports.Known = true
		s.works()
		s.idle()
		s.says(profile.Ready)
	}, finished},
	{"LateLimit", "an answer that is not drawn", time.Second, func(s *scene) {
		s.works()
		s.shows("you: hello", "> ")
		s.reports(profile.Ready)
	}, func(s *scene) bool { return s.m.phase > late }},
	{"LateLimit", "work that is shown after the end", time.Second, func(s *scene) {
		s.works()
		s.shows("you: hello", "• fine", "WORK", "> ")
		s.reports(profile.Ready)
	}, func(s *scene) bool { return s.m.phase > late }},
	{"DrawHold", "a quiet screen is whole", 25 * time.Millisecond, func(s *scene) {
		s.works()
		s.e.over = true
	}, finished},
	{"DrawLimit", "a screen that is never quiet", 250 * time.Millisecond, func(s *scene) {
		s.works()
		s.e.over = true
		s.every, s.tick = 10*time.Millisecond, func(int) { s.idle() }
	}, finished},

	{"GoneHold", "a question that has gone is withdrawn", 250 * time.Millisecond, func(s *scene) {
		s.asked()
		s.shows("WORK", "> ")
	}, func(s *scene) bool { return s.did(withdraw{}) }},
	{"GoneHold", "an answer to a question that has gone", 250 * time.Millisecond, func(s *scene) {
		s.asked()
		s.e.held = false
		s.answers("1")
		s.shows("WORK", "> ")
	}, func(s *scene) bool { return s.did(note{key: "answeredAtTerminal"}) }},
	{"GoneHold", "the rest of an answer to a question that has gone", 250 * time.Millisecond, func(s *scene) {
		s.asked()
		s.pass(time.Second)
		s.answers("3")
		s.shows("WORK", "> ")
	}, func(s *scene) bool { return s.m.pressing == nil }},
	{"ReadHold", "a question is not answered at once", 600 * time.Millisecond, func(s *scene) {
		s.asked()
		s.answers("2")
	}, func(s *scene) bool { return s.presses("2") == 1 }},
	{"TakenLimit", "an answer that changes nothing", 5 * time.Second, func(s *scene) {
		s.asked()
		s.pass(time.Second)
		s.answers("1")
	}, func(s *scene) bool { return s.presses("2") == 0 && s.m.phase == asking && s.m.query.asks == 2 }},
	{"TakenLimit", "a question that was reported and is not drawn", 5 * time.Second, func(s *scene) {
		s.works()
		s.says(profile.Asking)
	}, func(s *scene) bool { return s.did(putQuestion{}) }},
	{"SecretLimit", "a secret that nobody reads", 30 * time.Second, func(s *scene) {
		s.awaitsSecret()
	}, finished},

	{"StopDelay", "the message may leave the input before the interrupt", 500 * time.Millisecond, func(s *scene) {
		s.enters()
		s.goes(toStop)
	}, func(s *scene) bool { return s.presses("\x1b") == 1 }},
	{"DeclineDelay", "the question of a turn that is over", time.Second, func(s *scene) {
		s.works()
		s.asks()
		s.goes(toIdle)
	}, func(s *scene) bool { return s.presses("\x1b") == 1 }},
	{"DeclinedLimit", "a turn that goes on without its question", 3 * time.Second, func(s *scene) {
		s.works()
		s.asks()
		s.goes(toStop)
		s.shows("WORK", "> ")
		s.says(profile.Working)
	}, func(s *scene) bool { return s.presses("\x1b") == 2 }},
	{"StopAgain", "a key that was lost is typed again", 2 * time.Second, func(s *scene) {
		s.works()
		s.goes(toStop)
	}, func(s *scene) bool { return s.presses("\x1b") == 2 }},
	{"BackHold", "a message that was put back is cleared", 300 * time.Millisecond, func(s *scene) {
		s.works()
		s.goes(toStop)
		s.input("hello")
		s.says(profile.Ready)
	}, func(s *scene) bool { return s.presses("\x03") == 1 }},
	{"BackLimit", "an input that never rests", 2 * time.Second, func(s *scene) {
		s.works()
		s.goes(toStop)
		s.input("hello")
		s.says(profile.Ready)
		s.every, s.tick = 100*time.Millisecond, func(n int) { s.input("hello" + []string{"", "!"}[n%2]) }
	}, func(s *scene) bool { return s.presses("\x03") == 1 }},
	{"MoveLimit", "another key is tried", 700 * time.Millisecond, func(s *scene) { s.chooses() }, func(s *scene) bool { return s.presses("\t") == 1 }},
	{"MoveHold", "Enter is typed on the wanted option", 100 * time.Millisecond, func(s *scene) {
		s.chooses()
		s.shows("Which?", "  a", "❯ b", "enter to select")
		s.e.Screen.CursorShown = false
		s.step()
	}, func(s *scene) bool { return s.presses("\r") == 1 }},
}

func TestDurations(t *testing.T) {
	for _, d := range durations {
		t.Run(d.field+": "+d.about, func(t *testing.T) {
			s := newScene(t)
			d.begin(s)
			s.pass(d.lasts - time.Millisecond)
			if d.passed(s) {
				t.Fatalf("it happens before %v; typed %q, phase %d", d.lasts, s.typed(), s.m.phase)
			}
			s.pass(time.Millisecond)
			if !d.passed(s) {
				t.Errorf("it does not happen after %v; typed %q, phase %d, %v", d.lasts, s.typed(), s.m.phase, s.m.err)
			}
		})
	}
}

// counts are how often something is tried.
var counts = []struct {
	field string
	test  func(t *testing.T, s *scene)
}{
	{"EmptyTries", func(t *testing.T, s *scene) {
		s.input("old")
		s.delivers()
		for range 10 {
			s.idle()
			s.pass(100 * time.Millisecond)
			s.input("back")
			s.pass(time.Second)
		}
		if s.presses("\x03") != 3 || s.m.err != errHolds {
			t.Errorf("typed %q, %v", s.typed(), s.m.err)
		}
	}},
	{"TypeTries", func(t *testing.T, s *scene) {
		tries := 0
		for s.delivers(); !s.m.done && tries < 20; tries++ {
			s.pass(time.Second)
			s.at(typed)
			s.says(profile.Working)
			s.input("hello")
			s.pass(time.Second)
			s.idle()
			s.says(profile.Ready)
			s.pass(time.Second)
		}
		if tries != 5 || s.presses("hello") != 5 || s.presses("\r") != 0 {
			t.Errorf("%d tries, typed %q, %v", tries, s.typed(), s.m.err)
		}
	}},
	{"EnterTries", func(t *testing.T, s *scene) {
		s.enters()
		rows := []string{"welcome", "> hello"}
		for range 8 {
			rows = append(rows, "| ")
			s.shows(rows...)
			s.pass(time.Second)
		}
		if s.presses("\r") != 5 {
			t.Errorf("typed %q", s.typed())
		}
	}},
	{"MissedTurns", func(t *testing.T, s *scene) {
		s.m.hooked = true
		for turn := range 3 {
			s.works()
			s.idle()
			s.says(profile.Ready)
			s.step()
			if want := turn == 2; s.m.done != want {
				t.Errorf("turn %d is over at once: %v", turn, s.m.done)
			}
			s.pass(time.Minute)
		}
	}},
	{"StopTries", func(t *testing.T, s *scene) {
		s.works()
		s.goes(toStop)
		s.pass(time.Minute)
		if s.presses("\x1b") != 3 {
			t.Errorf("typed %q", s.typed())
		}
		s.goes(toIdle)
		s.pass(time.Minute)
		if s.presses("\x1b") != 5 {
			t.Errorf("and once more typed %q", s.typed())
		}
	}},
	{"ReactTime", func(t *testing.T, s *scene) {
		s.asked()
		s.pass(time.Second)
		s.answers("1")
		s.shows("WORK", "> ")
		s.step()
		if !s.did(dropKeys(300 * time.Millisecond)) {
			t.Errorf("people's keys are not dropped: %v", s.acts)
		}
	}},
}

func TestCounts(t *testing.T) {
	for _, c := range counts {
		t.Run(c.field, func(t *testing.T) { c.test(t, newScene(t)) })
	}
}

// TestEveryDurationIsTested: no rule about time can be broken unnoticed. What the
// detector waits for is tested where it is.
func TestEveryDurationIsTested(t *testing.T) {
	tested := map[string]bool{}
	for _, d := range durations {
		tested[d.field] = true
	}
	for _, c := range counts {
		tested[c.field] = true
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[profile.Timing]()) {
		if f.Name == "PasteMode" {
			break // those before it
		}
		tested[f.Name] = true
	}
	for _, field := range []string{"RestHold", "StillHold", "RestTimes", "RestLimit"} {
		tested[field] = true // by TestStillness
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[profile.Timing]()) {
		if !tested[f.Name] {
			t.Errorf("%s is not tested", f.Name)
		}
	}
}

func finished(s *scene) bool   { return s.m.done }
func typesHello(s *scene) bool { return s.presses("hello") == 1 }
func entersOnce(s *scene) bool { return s.presses("\r") == 1 }

// clears empties an input by these keys.
func (s *scene) clears(keys ...string) {
	p := *s.m.profile
	p.Clear = keys
	s.m.profile = &p
	s.input("old")
	s.delivers()
	if s.typed() != keys[0] {
		s.Fatalf("typed %q", s.typed())
	}
}

// answers gives the caller's answer to the question.
func (s *scene) answers(number string) {
	q, ok := s.m.profile.Question(s.e.Screen)
	if !ok {
		s.Fatal("there is no question")
	}
	s.e.answer = &answered{Answer: task.Answer{OptionID: q.Options[number[0]-'1'].ID}}
	s.step()
}

// goes begins a run about the same message.
func (s *scene) goes(g goal) {
	s.m.again(g)
	s.step()
}

// awaitsSecret is a program that reads lines and has got a secret from the caller.
func (s *scene) awaitsSecret() {
	s.shows("Password: ")
	s.says(profile.Asking)
	s.e.Verdict.Kind, s.e.Verdict.Source = profile.KindAuth, state.SourceReadline
	s.e.mode = tty.Mode{Canonical: true}
	s.m.begin(toAsk, round{})
	s.step()
	s.pass(time.Second)
	s.e.answer = &answered{Answer: task.Answer{Text: "!pw"}}
	s.step()
	if s.typed() != "!pw\r" {
		s.Fatalf("typed %q", s.typed())
	}
}

// chooses has the second of two options chosen, up to the first key.
func (s *scene) chooses() {
	s.m.profile = profile.Generic()
	s.shows("Which?", "❯ a", "  b", "enter to select")
	s.e.Screen.CursorShown = false
	s.says(profile.Asking)
	s.m.begin(toAsk, round{})
	s.pass(time.Second)
	s.at(asking)
	s.e.answer = &answered{Answer: task.Answer{OptionID: "2"}}
	s.step()
}
