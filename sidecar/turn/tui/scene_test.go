package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// unit is an agent with a box for one message, a hint while it works, a tip and two
// kinds of question.
const unit = `{
	"name": "unit", "tui": true,
	"dialogs": [{"rule": "tip", "all": ["^TIP$"], "dismiss": ["\u001b"]}],
	"questions": [{
		"rule": "asks", "kind": "permission", "text": "^May I .*\\?$",
		"option": "^(?P<marker>[❯ ]) (?P<number>\\d)\\. (?P<label>\\S.*)$", "choose": "number",
		"options": [
			{"match": "^Yes$", "kind": "allow_once"}, {"match": "^No$", "kind": "reject_once"},
			{"match": "^Both$", "kind": "other", "keys": ["a", "b"]}
		],
		"cancel": ["\u001b"]
	}],
	"signs": [{"rule": "hint", "state": "working", "all": ["^WORK$"]}],
	"prompt": {"row": "^>(?: (.*))?$", "next": "^\\|(?: (.*))?$"},
	"submit": {"paste": true, "settleMs": 150},
	"commandChars": "!",
	"interrupt": ["\u001b"], "clear": ["\u0003"],
	"answer": {"echo": "^you: (.*)$", "text": "^• (.*)$", "body": "^  (.*)$", "failed": [{"row": "^ERROR (.*)$"}], "live": [{"at": "^>"}]}
}`

// scene is a machine and the world that it is shown, on a clock of its own.
type scene struct {
	*testing.T
	m     *machine
	e     event
	due   time.Time
	acts  []action
	every time.Duration // how often tick is called; 0: never
	tick  func(n int)
	ticks int
}

// newScene returns a machine whose agent has been ready for a minute, and shows an empty
// input.
func newScene(t *testing.T) *scene {
	t.Helper()
	p, err := profile.Parse("unit.json", []byte(unit))
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{T: t, m: &machine{rules: rules{profile: p, timing: p.Timing, agent: p.Name, ready: time.Hour, quiet: 5 * time.Second, ask: time.Minute}}}
	s.e.now = time.Unix(1_000_000, 0)
	s.e.held = true
	s.e.untaken = func() (int, bool) { return 0, true }
	s.e.history = func(uint64) ([]term.Line, uint64) { return nil, 0 }
	s.idle()
	s.says(profile.Ready)
	s.pause(time.Minute)
	return s
}

// pause lets time pass that the machine does not see.
func (s *scene) pause(d time.Duration) { s.e.now = s.e.now.Add(d) }

// shows draws rows, the last of which has the cursor.
func (s *scene) shows(rows ...string) {
	terminal := term.New(term.Options{Cols: 60, Rows: 12})
	_, _ = terminal.Write([]byte("\x1b[?2004h" + strings.Join(rows, "\r\n"))) // never fails
	generation := s.e.Screen.Generation
	s.e.Screen = terminal.Snapshot()
	s.e.Screen.Generation, s.e.Screen.Output, s.e.Moved = generation+1, s.e.now, s.e.now
	s.e.seen++
}

func (s *scene) idle()             { s.shows("welcome", "> ") }
func (s *scene) input(text string) { s.shows("welcome", "> "+text) }
func (s *scene) asks() {
	s.shows("May I go?", "❯ 1. Yes", "  2. No", "  3. Both")
	s.says(profile.Asking)
}

// says makes the screen the source of a state.
func (s *scene) says(state profile.State) {
	s.e.Verdict.Source, s.e.Verdict.Confidence = profile.SourceScreen, 0.8
	s.e.seen++
	if s.e.Verdict.State != state {
		s.e.Verdict.State, s.e.Verdict.Since = state, s.e.now
	}
}

// reports makes the agent itself the source of a state.
func (s *scene) reports(state profile.State) {
	s.says(state)
	s.e.Verdict.Source, s.e.Verdict.Confidence = "osc7501", 1
}

// step shows the machine the world until it waits.
func (s *scene) step() {
	for range 100 {
		acts, due := s.m.step(s.e)
		s.acts, s.due = append(s.acts, acts...), due
		s.e.answer, s.e.failed = nil, nil
		for _, a := range acts {
			if _, ok := a.(submitted); ok { // as the console does
				s.says(profile.Working)
				s.e.Verdict.Source, s.e.reports = state.SourceSubmit, console.Reports{Known: s.e.reports.Known, Turns: s.e.reports.Turns}
			}
		}
		if slices.ContainsFunc(acts, func(a action) bool { _, ok := a.(rested); return ok }) {
			s.says(profile.Ready)
			s.e.Verdict.Source, s.e.Verdict.Confidence = sourceRest, 0.3
			continue
		}
		if s.m.done || due.IsZero() || due.After(s.e.now) {
			return
		}
	}
	s.Fatalf("the machine does not wait in phase %d", s.m.phase)
}

// pass steps the machine for as long, whenever it is due.
func (s *scene) pass(d time.Duration) {
	s.step()
	for end := s.e.now.Add(d); ; {
		next, ticks := end, false
		if s.every > 0 {
			if at := s.e.now.Truncate(s.every).Add(s.every); !at.After(next) {
				next, ticks = at, true
			}
		}
		if !s.due.IsZero() && s.due.Before(next) {
			next, ticks = s.due, false
		}
		s.e.now = next
		if ticks {
			s.ticks++
			s.tick(s.ticks)
		}
		if s.m.done {
			return
		}
		s.step()
		if !s.e.now.Before(end) {
			return
		}
	}
}

// typed returns everything that was typed.
func (s *scene) typed() string {
	var b strings.Builder
	for _, a := range s.acts {
		if keys, ok := a.(typeKeys); ok {
			b.WriteString(string(keys))
		}
	}
	return b.String()
}

// presses returns how often a key, or a message, was typed.
func (s *scene) presses(key string) (n int) {
	for _, a := range s.acts {
		if keys, ok := a.(typeKeys); ok && strings.TrimSuffix(strings.TrimPrefix(string(keys), pasteBegin), pasteEnd) == key {
			n++
		}
	}
	return n
}

// did reports whether the machine has done that.
func (s *scene) did(a action) bool {
	return slices.ContainsFunc(s.acts, func(b action) bool {
		if _, hold := b.(holdKeys); hold {
			_, same := a.(holdKeys)
			return same
		}
		if _, put := b.(putQuestion); put {
			_, same := a.(putQuestion)
			return same
		}
		switch a.(type) {
		case holdKeys, putQuestion:
			return false
		}
		return a == b
	})
}

// answer returns the answer as it was passed on.
func (s *scene) answer() (text string) {
	for _, a := range s.acts {
		switch a := a.(type) {
		case writeText:
			text += string(a)
		case replaceText:
			text = string(a)
		}
	}
	return text
}

// delivers begins to deliver hello.
func (s *scene) delivers() {
	s.m.begin(toDeliver, round{body: "hello"})
	s.m.phase = waiting
	s.step()
}

// types is delivers up to the message that was typed.
func (s *scene) types() {
	s.delivers()
	s.at(typed)
}

// enters is types up to the Enter.
func (s *scene) enters() {
	s.types()
	s.input("hello")
	s.pass(150 * time.Millisecond)
	s.at(entered)
}

// works is enters up to the agent at work.
func (s *scene) works() {
	s.enters()
	s.shows("you: hello", "WORK", "> ")
	s.says(profile.Working)
	s.step()
	s.at(working)
}

// asked is works up to the question that the caller gets.
func (s *scene) asked() {
	s.works()
	s.asks()
	s.step()
	s.at(asking)
}

// at fails the test if the machine is in another phase.
func (s *scene) at(p phase) {
	s.Helper()
	if s.m.phase != p || s.m.done {
		s.Fatalf("phase %d (done %v, %v), want %d; typed %q", s.m.phase, s.m.done, s.m.err, p, s.typed())
	}
}
