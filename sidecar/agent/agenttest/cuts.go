package agenttest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/replay"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// Truth is what an agent did in a recording, as its own profile tells with everything that
// it reported: it works from the Enter of a message until its profile says that it is ready
// for good, which is the last time before the next message, and it asks while its own rules
// read a question or a dialog on the screen. What was there before its first ready says
// nothing.
type Truth struct {
	turns []span
	asks  []span
}

// span is a time in which something is so.
type span struct {
	from, to time.Duration
	what     string
}

// Does returns what the agent does at that time, "" for nothing, and since when.
func (w Truth) Does(at time.Duration) (what string, since time.Duration) {
	for _, list := range [][]span{w.asks, w.turns} {
		for _, s := range list {
			if s.from <= at && at < s.to {
				return s.what, s.from
			}
		}
	}
	return "", 0
}

// Turns returns when messages were sent.
func (w Truth) Turns() (sent []time.Duration) {
	for _, s := range w.turns {
		sent = append(sent, s.from)
	}
	return sent
}

// truthFinder makes the Truth of a recording from what the agent's own profile says of it.
type truthFinder struct {
	Truth
	own    *profile.Profile
	player *replay.Player
	end    time.Duration // of the recording

	ready  bool          // what the detector says
	looks  bool          // what the screen says
	looked time.Duration // since when
	asking string
}

// TruthOf plays a recording to the agent's own profile, with all that it reported.
func TruthOf(t testing.TB, header term.CastHeader, events []term.CastEvent, own *profile.Profile) Truth {
	t.Helper()
	w := &truthFinder{own: own, end: events[len(events)-1].At + replay.Rest}
	w.player = replay.New(own, header, w.saw)
	for _, e := range events {
		if err := w.player.Until(e.At); err != nil {
			t.Fatal(err)
		}
		if e.Kind == term.CastInput && strings.HasSuffix(e.Data, "\r") && w.ready {
			w.turns = append(w.turns, span{from: e.At, to: w.end, what: "works"})
			w.ready = false
		}
		if err := w.player.Play(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.player.Until(w.end); err != nil {
		t.Fatal(err)
	}
	return w.Truth
}

func (w *truthFinder) saw(at time.Duration, v state.Verdict) error {
	m, _ := w.own.Match(w.player.Screen.Snapshot())
	if looks := m.State == profile.Ready; looks != w.looks {
		w.looked, w.looks = at, looks
	}
	if n := len(w.turns); n > 0 {
		w.turn(&w.turns[n-1], at, v)
	}
	w.ready = v.State == profile.Ready
	asking := ""
	if m.State == profile.Asking || m.State == profile.Dialogue {
		asking = "asks: " + m.Rule
	}
	if asking == w.asking {
		return nil
	}
	if w.asking != "" {
		w.asks[len(w.asks)-1].to = at
	}
	if w.asking = asking; asking != "" {
		w.asks = append(w.asks, span{from: at, to: w.end, what: asking})
	}
	return nil
}

// turn moves the end of the last turn: what the screen shows has to last before it is
// believed, and the turn ended when it came.
func (w *truthFinder) turn(s *span, at time.Duration, v state.Verdict) {
	switch v.State {
	case profile.Working, profile.Asking, profile.Dialogue:
		s.to = w.end // it was ready for a while only
	case profile.Ready:
		if w.ready {
			return
		}
		if s.to = at; w.looks && w.looked > s.from {
			s.to = w.looked
		}
	}
}

// Fault is a moment at which a profile says that an agent is ready, and it is not.
type Fault struct {
	At     time.Duration
	Does   string // what it does
	Rule   string // what says that it is ready
	Screen string
}

func (f Fault) String() string {
	return fmt.Sprintf("at %.1f s it %s, and %q says ready:\n%s", f.At.Seconds(), f.Does, f.Rule, f.Screen)
}

// Cuts cuts a recording at every step and returns the moments at which a profile, asked
// without what the agent reports, says that the agent is ready while it works or asks: as
// the detector's verdict or, of a question, by a rule on that screen alone. It is told when
// messages were sent, as the sidecar tells a detector.
func Cuts(t testing.TB, header term.CastHeader, events []term.CastEvent, truth Truth, with *profile.Profile, step time.Duration) (faults []Fault) {
	t.Helper()
	start := time.Unix(0, 0)
	now := start
	d := state.NewDetector(with, now)
	screen := term.New(term.Options{
		Cols: header.Cols, Rows: header.Rows, Answers: term.AnswerNone, Now: func() time.Time { return now },
		Event: func(e term.Event) {
			if e.Kind == term.EventAlternate || e.Kind == term.EventBracketedPaste {
				d.Event(e, now)
			}
		},
	})
	sent := truth.Turns()
	var seen term.Snapshot
	var match profile.Match
	var matched bool
	look := func() {
		s := screen.Snapshot()
		if s.Generation != seen.Generation || !matched {
			match, _ = with.Match(s)
			seen, matched = s, true
		}
		at := now.Sub(start)
		does, since := truth.Does(at)
		asks := strings.HasPrefix(does, "asks")
		v, _ := d.Verdict(now)
		switch {
		case does == "":
		case asks && match.State == profile.Ready:
			faults = append(faults, Fault{At: at, Does: does, Rule: match.Rule, Screen: s.Text()})
		case asks && at < since+with.Timing.AskingHold:
			// A question has to last before it is believed.
		case v.State == profile.Ready:
			faults = append(faults, Fault{At: at, Does: does, Rule: "verdict: " + v.Rule, Screen: s.Text()})
		}
	}
	cut := step
	for _, e := range events {
		for ; cut < e.At; cut += step {
			pass(d, &now, start.Add(cut))
			look()
		}
		pass(d, &now, start.Add(e.At))
		if len(sent) > 0 && e.At >= sent[0] && e.Kind == term.CastInput {
			d.Submitted(now)
			sent = sent[1:]
		}
		switch e.Kind {
		case term.CastOutput:
			if _, err := screen.Write([]byte(e.Data)); err != nil {
				t.Fatal(err)
			}
			d.Screen(screen.Snapshot(), state.TTY{}, now)
		case term.CastResize:
			screen.Resize(e.Cols, e.Rows)
			d.Screen(screen.Snapshot(), state.TTY{}, now)
		case term.CastExit:
			return faults
		}
	}
	return faults
}

// pass lets time pass, and has the detector look again when it asked for it.
func pass(d *state.Detector, now *time.Time, until time.Time) {
	for {
		_, recheck := d.Verdict(*now)
		if recheck <= 0 || now.Add(recheck).After(until) {
			*now = until
			return
		}
		*now = now.Add(recheck)
	}
}
