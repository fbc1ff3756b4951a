package state

import (
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// Detector finds out what an agent is doing from everything that can tell:
// reports, escape sequences, the screen, the terminal's modes and, last of all,
// silence. It is pure: it has no goroutine, no clock and no lock. All calls must
// come from one goroutine at a time, with times that do not go back.
//
// # The ladder
//
// The first source that has something to say wins: the process's exit, the
// channel, hooks, OSC 7501, OSC 133 and 633, OSC 9;4, notifications, the
// profile's signs (title and rows), line editors' modes, rules that hold for
// every agent and prompts, and silence. Not quite:
//
//   - A source that has never spoken has no say, and none outlives what it spoke
//     of: a prompt's mark or the process's exit ends what OSC 7501 said before.
//   - A question or dialog on the screen is never hidden by an older word that
//     the agent works, nor by any word that it is ready.
//   - A hook tells moments, and not all of them (an interrupted turn has none):
//     what OSC 7501 says later wins, and so does a screen that has said for a
//     second that the agent is ready or asks no more. That a turn has ended is
//     not believed to a hook alone while OSC 7501 says the opposite of the turn.
//   - OSC 7501 tells all: no screen makes an agent ready that says it works.
//   - Silence decides only where nothing else ever said that the agent is ready,
//     after 5 s; after 30 s where only a prompt did that is not there now.
//
// # Settling
//
// Marks and reports count at once. What the screen alone says must have held:
// working 0, a question 200 ms, ready 300 ms; a second when the agent was not
// seen to work since the message was submitted, and then only if there is new
// text (else 5 s of silence), or when a question has just gone.
type Detector struct {
	match func(term.Snapshot) (profile.Match, bool)
	input func(term.Snapshot) (string, bool)
	tui   bool // it draws a screen
	// generic: nothing is known of this agent.
	generic bool

	claims [rungs]claim
	exited bool

	turn      bool // a message was submitted, and the agent not ready since
	worked    bool // somebody has said Working since then
	submitted time.Time
	output    time.Time // the last output, or when everything began
	wasReady  bool      // it has been ready before

	page page
	line line

	verdict Verdict
}

// NewDetector returns a detector for an agent that starts now.
func NewDetector(p *profile.Profile, now time.Time) *Detector {
	return &Detector{
		match: p.Match, input: p.Input, tui: p.TUI, generic: p.Name == profile.GenericName, output: now,
		verdict: Verdict{State: profile.Starting, Source: SourceStart, Rule: "nothing was seen yet", Confidence: 0.5, Since: now},
	}
}

// Submitted says that a message's Enter was typed: until something says
// otherwise the agent works. What was said before that it is ready counts no
// more.
func (d *Detector) Submitted(now time.Time) {
	d.turn, d.worked, d.submitted = true, false, now
	for r := range d.claims {
		c := &d.claims[r]
		c.worked = false
		if c.state == profile.Ready && rung(r) != rungSign && rung(r) != rungGeneric {
			d.hush(rung(r), now)
		}
	}
	d.page.begin(d.input)
	d.line.asked, d.line.secret = time.Time{}, false
	d.become(Verdict{State: profile.Working, Source: SourceSubmit, Rule: "a message was submitted", Confidence: 0.5}, now)
}

// Ended says that the turn has ended by something that a Detector does not see:
// the line that answers a call, the caller's own measure of silence. The agent is
// ready then, until something says otherwise.
func (d *Detector) Ended(source, rule string, confidence float64, now time.Time) {
	if d.exited {
		return
	}
	d.turn, d.wasReady = false, true
	d.become(Verdict{State: profile.Ready, Source: source, Rule: rule, Confidence: confidence}, now)
}

// Exited says that the agent's process has ended.
func (d *Detector) Exited(now time.Time) {
	d.exited, d.turn = true, false
	d.become(Verdict{State: profile.Exited, Source: SourceExit, Rule: "the process has ended", Confidence: 1}, now)
}

// Verdict says what the agent is doing. When time alone may change that,
// recheck is how long to wait before asking again; 0: only something new can.
func (d *Detector) Verdict(now time.Time) (v Verdict, recheck time.Duration) {
	if d.exited {
		return d.verdict, 0
	}
	w := weigher{d: d, now: now}
	if c, ok := w.decide(); ok {
		d.take(c, now)
	}
	return d.verdict, w.recheck
}

// take makes a claim the verdict.
func (d *Detector) take(c claim, now time.Time) {
	d.become(Verdict{
		State: c.state, Kind: c.kind, Source: c.source, Rule: c.rule,
		Confidence: c.confidence, Message: c.message, Failed: c.failed,
	}, now)
	if c.state == profile.Ready {
		d.turn, d.wasReady = false, true
	}
}

func (d *Detector) become(v Verdict, now time.Time) {
	v.Since = now
	if old := d.verdict; old.State == v.State && old.Kind == v.Kind {
		v.Since = old.Since
	}
	d.verdict = v
}
