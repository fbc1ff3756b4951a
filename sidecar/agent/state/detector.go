package state

import (
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// Detector finds out what an agent is doing from every source that can tell: reports,
// escape sequences, the screen, the terminal's modes and, last of all, silence. It is
// pure: it has no goroutine, no clock and no lock. All calls must come from one
// goroutine at a time, and their times must not go back.
//
// # The ladder
//
// The first source that has something to say wins. The order is: the process's exit,
// the channel, hooks, OSC 7501, OSC 133 and 633, OSC 9;4, notifications, the kernel's word
// on what the program waits for (if the program prints lines), the profile's signs (title
// and rows), the modes that line editors set, the rules and prompts that hold for every
// agent, and silence. There are exceptions:
//
//   - A source that has never spoken does not count. What a source said holds as long as
//     the thing of which it spoke: the mark of a prompt, or the exit of the process, ends
//     what OSC 7501 said before.
//   - A question or dialog on the screen is never hidden by an older report that the
//     agent works, nor by any report that it is ready.
//   - A hook reports single moments, and not all of them (an interrupted turn has no
//     hook): what OSC 7501 says later wins, and so does a screen that has said for a
//     second that the agent is ready or no longer asks. A hook alone does not end a
//     turn of which OSC 7501 says the opposite.
//   - OSC 7501 reports every change: while it says that the agent works, no screen
//     makes it ready.
//   - Silence decides only if nothing else has ever said that the agent is ready,
//     after 5 s, or if only a prompt has said so and is not there now, after 30 s.
//
// # Settling
//
// Marks and reports count at once. What only the screen says must have held for a
// while, as [profile.Timing] says (the values here are its defaults): working 0, a
// question 200 ms, ready 300 ms. Ready takes a second if a question has just gone, or if
// the agent was not seen to work since the message was submitted. In the latter case there
// must also be new text, or 5 s of silence.
type Detector struct {
	match  func(term.Snapshot) (profile.Match, bool)
	input  func(term.Snapshot) (string, bool)
	tui    bool // it draws a screen
	timing profile.Timing
	// generic is true if nothing is known of this agent.
	generic bool

	claims [rungs]claim
	exited bool

	turn      bool // a message was submitted, and the agent has not been ready since
	worked    bool // a source has said Working since then
	submitted time.Time
	output    time.Time     // the last output, or the start if there was none
	pause     time.Duration // its longest pause before it was ready for the first time
	wasReady  bool          // it has been ready before
	marked    bool          // a mark of OSC 133 was seen
	shell     bool          // the marks are those of a shell

	page   page
	motion motion
	line   line
	kernel kernel

	verdict Verdict
}

// NewDetector returns a detector for an agent that starts now.
func NewDetector(p *profile.Profile, now time.Time) *Detector {
	return &Detector{
		match: p.Match, input: p.Input, tui: p.TUI, generic: p.Name == profile.GenericName, timing: p.Timing, output: now, motion: motion{at: now},
		verdict: Verdict{State: profile.Starting, Source: SourceStart, Rule: "nothing was seen yet", Confidence: 0.5, Since: now},
	}
}

// Relearn gives the detector another profile of the same agent: what the old one's rules
// and silence have said counts no more.
func (d *Detector) Relearn(p *profile.Profile, now time.Time) {
	d.match, d.input, d.tui, d.timing = p.Match, p.Input, p.TUI, p.Timing
	d.generic = p.Name == profile.GenericName
	for _, r := range []rung{rungSign, rungLine, rungGeneric} {
		d.claims[r] = claim{rung: r, since: now, at: now}
	}
	if d.page.last.Rows == 0 {
		return
	}
	m, ok := d.match(d.page.last)
	weak := m.Generic || d.generic
	d.sign(rungSign, m, ok && !weak, now)
	d.sign(rungGeneric, m, ok && weak, now)
}

// Submitted tells the detector that a message's Enter was typed: the agent works until
// a source says otherwise. Earlier reports that it is ready no longer count.
func (d *Detector) Submitted(now time.Time) {
	if !d.turn && !d.draws() {
		d.kernel.rememberPrompt(d.page.last)
	}
	d.turn, d.worked, d.submitted = true, false, now
	d.kernel.before, d.kernel.from = waits.Look{}, cursorRow(d.page.last)
	d.kernel.restart(now)
	d.hush(rungKernel, now)
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

// Ended tells the detector that the turn has ended by something that it does not see:
// the line that answers a call, or the caller's own measure of silence. The agent is
// then ready until a source says otherwise.
func (d *Detector) Ended(source, rule string, confidence float64, now time.Time) {
	if d.exited {
		return
	}
	d.turn, d.wasReady = false, true
	d.hush(rungKernel, now)
	if d.kernel.output = d.output; d.kernel.phase != phaseUnseen {
		d.kernel.hold()
	}
	d.become(Verdict{State: profile.Ready, Source: source, Rule: rule, Confidence: confidence}, now)
}

// Exited tells the detector that the agent's process has ended.
func (d *Detector) Exited(now time.Time) {
	d.exited, d.turn = true, false
	d.become(Verdict{State: profile.Exited, Source: SourceExit, Rule: "the process has ended", Confidence: 1}, now)
}

// Verdict returns what the agent is doing. If time alone may change that, recheck is
// how long to wait before asking again; 0 means that only a new event can change it.
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
