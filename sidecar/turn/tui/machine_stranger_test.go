package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// unknownScene is a scene whose agent nobody has described.
func unknownScene(t *testing.T) *scene {
	s := newScene(t)
	s.m.profile = profile.Generic()
	s.m.meet()
	return s
}

// sends types the message, which appears in the input, up to its Enter.
func (s *scene) sends() {
	s.Helper()
	s.types()
	s.input("hello")
	s.pass(150 * time.Millisecond)
	s.pass(100 * time.Millisecond)
	s.at(entered)
}

// unechoed ends the turn after it has shown a spinner and an answer, but not the message.
func (s *scene) unechoed() {
	s.Helper()
	for i := range 8 {
		s.shows("welcome", string([]rune("✢✳✶✻✽")[i%5])+" Pondering…", "> ")
		s.step()
		s.pass(100 * time.Millisecond)
	}
	s.shows("welcome", "well met", "> ")
	s.pass(10 * time.Second)
	if !s.m.done || s.m.err != nil || !s.m.learns() {
		s.Fatalf("done %v, %v; it has learnt: %v", s.m.done, s.m.err, !s.m.learns())
	}
	s.idle()
	s.says(profile.Ready)
	s.pause(time.Minute)
}

// spins shows a spinner for a while, above the empty input.
func (s *scene) spins(every time.Duration, times int) {
	for i := range times {
		s.shows("> hello", string([]rune("✢✳✶✻✽")[i%5])+" Pondering…", "> ")
		s.step()
		s.pass(every)
	}
}

// TestStranger: the first message finds the input, its answer is what stands below its echo
// once all is still, and the next turn has a profile.
func TestStranger(t *testing.T) {
	s := unknownScene(t)
	s.sends()
	s.spins(100*time.Millisecond, 8)
	s.shows("> hello", "well met", "> ")
	s.step()
	if s.answer() != "" {
		t.Fatalf("%q was passed on before its end", s.answer())
	}
	s.pass(3 * time.Second)
	if !s.m.done || s.m.err != nil || s.answer() != "well met" {
		t.Fatalf("done %v, %v, answer %q", s.m.done, s.m.err, s.answer())
	}
	if s.m.learns() || s.m.profile.Name != learntName || s.m.answerFrom() != "screen" {
		t.Errorf("profile %s, the answer is from %q", s.m.profile.Name, s.m.answerFrom())
	}
	if end := s.m.guess; end.Source != sourceRest || end.Confidence > 0.3 {
		t.Errorf("only stillness ended it, and it says %+v", end)
	}
	if text, ok := s.m.profile.Input(s.e.Screen); !ok || text != "" {
		t.Errorf("the input has %q, %v", text, ok)
	}
	s.shows("> hello", "✢ Pondering…", "> ")
	if m, _ := s.m.profile.Match(s.e.Screen); m.State != profile.Working {
		t.Errorf("while it works it is %+v", m)
	}
}

// TestStrangersInputFails: what was learnt and does not hold is forgotten.
func TestStrangersInputFails(t *testing.T) {
	s := unknownScene(t)
	s.sends()
	s.spins(100*time.Millisecond, 8)
	s.shows("> hello", "well met", "> ")
	s.pass(3 * time.Second)
	if s.m.learns() {
		t.Fatal("nothing was learnt")
	}
	if !s.m.forget() || !s.m.learns() || s.m.profile.Prompt.Row != nil || s.m.forget() {
		t.Error("it was not forgotten once")
	}
}

// TestStrangersMessageStays: a message that is not taken does not stay for the next one.
func TestStrangersMessageStays(t *testing.T) {
	s := unknownScene(t)
	s.sends()
	s.input("hello")
	s.says(profile.Ready)
	s.pass(time.Minute)
	if !s.m.done || s.m.err == nil || s.presses(eraseLine) != 1 {
		t.Errorf("done %v, %v, typed %q", s.m.done, s.m.err, s.typed())
	}
}

// TestPager: a program that has the whole screen and takes what is typed for keys gets no
// Enter, and its screen is the answer.
func TestPager(t *testing.T) {
	s := unknownScene(t)
	s.page("1", "2", "3", ":")
	s.types()
	s.page("100", "101", "102", ":")
	s.says(profile.Ready)
	s.pass(10 * time.Second)
	if !s.m.done || s.m.err != nil || !s.m.page || s.answer() != "100\n101\n102\n:" || s.presses("\r") != 0 {
		t.Errorf("done %v, %v; it has the screen: %v; answer %q, typed %q", s.m.done, s.m.err, s.m.page, s.answer(), s.typed())
	}
}

// TestEditor: what is typed into an editor stays where it is.
func TestEditor(t *testing.T) {
	s := unknownScene(t)
	s.page("editor", "", "help")
	s.types()
	s.page("editor", "hello\x1b[s", "help\x1b[u")
	s.pass(time.Second)
	s.at(entered)
	s.page("editor", "hello", "\x1b[s", "help\x1b[u")
	s.pass(10 * time.Second)
	if !s.m.done || s.m.err != nil || !s.m.page || !strings.Contains(s.answer(), "hello") || !strings.Contains(s.answer(), "help") {
		t.Errorf("done %v, %v; it has the screen: %v; answer %q", s.m.done, s.m.err, s.m.page, s.answer())
	}
}

// page shows the alternate screen.
func (s *scene) page(rows ...string) {
	terminal := term.New(term.Options{Cols: 60, Rows: 12})
	_, _ = terminal.Write([]byte("\x1b[?1049h" + strings.Join(rows, "\r\n")))
	generation := s.e.Screen.Generation
	s.e.Screen = terminal.Snapshot()
	s.e.Screen.Generation, s.e.Screen.Output, s.e.Moved = generation+1, s.e.now, s.e.now
	s.e.seen++
}

// stills returns how long it takes until the turn of a stranger has ended.
func stills(s *scene) time.Duration {
	began := s.e.now
	for range 200 {
		if s.m.done {
			break
		}
		s.pass(50 * time.Millisecond)
	}
	return s.e.now.Sub(began).Round(50 * time.Millisecond)
}

// TestStillness: an agent without a profile is done when it is still, for a time
// that grows with its own pauses and has both ends.
func TestStillness(t *testing.T) {
	for _, tt := range []struct {
		name  string
		works func(*scene)
		want  time.Duration
	}{
		{"work was seen to go", func(s *scene) { s.spins(100*time.Millisecond, 8) }, 400 * time.Millisecond},
		{"one sign of work that everybody knows has gone", func(s *scene) {
			s.shows("> hello", "Working (esc to interrupt)", "> ")
			s.e.Verdict = state.Verdict{State: profile.Working, Source: profile.SourceScreen, Confidence: 0.6, Since: s.e.now}
			s.step()
			s.pass(100 * time.Millisecond)
			s.e.Verdict = state.Verdict{State: profile.Working, Source: state.SourceSubmit, Confidence: 0.5, Since: s.e.now}
		}, 400 * time.Millisecond},
		{"nothing has shown its work", func(s *scene) {}, 3000 * time.Millisecond},
		{"only the turn before has shown its work", func(s *scene) {
			s.unechoed()
			s.sends()
		}, 3000 * time.Millisecond},
		{"it pauses", func(s *scene) { s.spins(350*time.Millisecond, 8) }, 1050 * time.Millisecond},
		{"it pauses for long", func(s *scene) {
			s.spins(300*time.Millisecond, 3)
			s.spins(800*time.Millisecond, 3)
			s.spins(2*time.Second, 3)
		}, 5 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := unknownScene(t)
			s.sends()
			tt.works(s)
			s.shows("> hello", "well met", "> ")
			s.step()
			if got := stills(s); got < tt.want || got > tt.want+150*time.Millisecond {
				t.Errorf("it was done after %s, not %s (phase %d, %v)", got, tt.want, s.m.phase, s.m.err)
			}
		})
	}
}

// TestStrangerWaits: an agent of which the kernel says that it waits for nothing but its terminal
// is done, however long the stillness of its screen would have to last.
func TestStrangerWaits(t *testing.T) {
	s := unknownScene(t)
	s.sends()
	s.shows("> hello", "well met", "> ")
	s.step()
	s.pass(400 * time.Millisecond)
	if s.m.done {
		t.Fatal("done before anything tells")
	}
	s.e.Verdict = state.Verdict{State: profile.Ready, Source: state.SourceKernel, Confidence: 0.6, Since: s.e.now}
	s.step()
	s.pass(50 * time.Millisecond)
	if !s.m.done || s.m.err != nil || s.answer() != "well met" {
		t.Fatalf("done %v, %v, answer %q", s.m.done, s.m.err, s.answer())
	}
}

// TestStrangerHidesMessage: no Enter is typed for a message that is nowhere on the screen: it would
// choose whatever stands there.
func TestStrangerHidesMessage(t *testing.T) {
	for name, unread := range map[string]int{"read and not shown": 0, "not read": 5} {
		t.Run(name, func(t *testing.T) {
			s := unknownScene(t)
			s.page("Run it?", "> Allow", "  Deny", "")
			s.e.untaken = func() (int, bool) { return unread, true }
			s.types()
			if unread > 0 {
				s.page("Run it?", "> Allow", "  Deny", "", "the last answer goes on", "")
			} else {
				s.page("Run it?", "> Allow", "  Deny", "*****")
			}
			s.pass(10 * time.Second)
			if !s.m.done || s.m.err == nil || s.presses("\r") != 0 || s.presses(eraseLine) != 1 {
				t.Errorf("done %v, %v, typed %q", s.m.done, s.m.err, s.typed())
			}
		})
	}
}

// TestStrangerAsksFirst: what an unknown agent asks before it takes the message is asked of the caller,
// and then the message is typed.
func TestStrangerAsksFirst(t *testing.T) {
	s := unknownScene(t)
	s.trusts()
	s.m.begin(toDeliver, round{body: "hello"})
	s.pass(time.Second)
	s.at(asking)
	if s.typed() != "" {
		t.Fatalf("typed %q", s.typed())
	}
	s.answers("1")
	s.pass(time.Second)
	s.has("\r")
	s.idle()
	s.says(profile.Ready)
	s.pass(time.Second)
	if !strings.Contains(s.typed(), "hello") {
		t.Errorf("the message was not typed: %q in phase %d", s.typed(), s.m.phase)
	}
}

// TestStrangerAsksFirstIsCanceled: a turn that ends while such a question is open types nothing, and neither
// does one that nobody can be asked about.
func TestStrangerAsksFirstIsCanceled(t *testing.T) {
	s := unknownScene(t)
	s.trusts()
	s.m.begin(toDeliver, round{body: "hello"})
	s.pass(time.Second)
	s.at(asking)
	s.e.stop = errors.New("canceled")
	s.step()
	s.e.stop = nil
	s.goes(toStop)
	if !s.m.done || s.typed() != "" {
		t.Errorf("done %v in phase %d, typed %q", s.m.done, s.m.phase, s.typed())
	}
	s = unknownScene(t)
	s.m.headless = true
	s.trusts()
	s.m.begin(toDeliver, round{body: "hello"})
	s.pass(10 * time.Second)
	if s.m.phase != waiting || s.typed() != "" {
		t.Errorf("phase %d, typed %q", s.m.phase, s.typed())
	}
}

// trusts shows a question as an agent may ask it at its start.
func (s *scene) trusts() {
	s.shows("\x1b[?25lTrust this folder?", "❯ Yes", "  No", "↑/↓ to move, enter to choose")
	s.says(profile.Asking)
}

// TestStrangerCanBeStopped: while the screen says how to stop the turn, which it did not say before, an
// unknown agent is at work for longSilence, however still it is.
func TestStrangerCanBeStopped(t *testing.T) {
	s := unknownScene(t)
	s.sends()
	s.shows("> hello", "- Executing… (esc to interrupt)", "> ")
	s.pass(s.m.timing.LongSilence - time.Second)
	if s.m.done {
		t.Fatal("done while it says how it can be stopped")
	}
	s.shows("> hello", "well met", "> ")
	s.pass(s.m.timing.RestLimit + time.Second)
	if !s.m.done || s.answer() != "well met" {
		t.Errorf("done %v, answer %q", s.m.done, s.answer())
	}
	s = unknownScene(t)
	s.shows("esc to stop", "> ")
	s.sends()
	s.shows("esc to stop", "> hello", "well met", "> ")
	s.pass(4 * time.Second)
	if !s.m.done {
		t.Error("a hint that was there before holds the turn up")
	}
}

// TestStrangerShowsAPaste: an agent that shows a word in place of a paste has the message.
func TestStrangerShowsAPaste(t *testing.T) {
	s := unknownScene(t)
	s.m.begin(toDeliver, round{body: "one\ntwo\nthree\nfour"})
	s.pass(time.Second)
	s.shows("welcome", "> [Pasted text #1 +4 lines]")
	s.pass(4 * time.Second)
	if s.presses("\r") != 1 {
		t.Errorf("typed %q in phase %d", s.typed(), s.m.phase)
	}
}
