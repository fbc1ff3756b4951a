package state

import (
	"time"

	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// starting reports whether an agent of which nothing is known has not been ready yet.
func (d *Detector) starting() bool { return d.generic && !d.wasReady && !d.turn && !d.exited }

// started records a pause in the output of a program that has not been ready yet. The time before
// its first output is such a pause.
func (d *Detector) started(output time.Time) {
	if d.starting() {
		d.pause = max(d.pause, output.Sub(d.output))
	}
}

// startHold returns how long the screen of such an agent must rest at its start. An agent that has
// paused for long before it drew anything may pause for as long again.
func (d *Detector) startHold() time.Duration {
	return max(d.timing.StartHold, min(d.pause, d.timing.Silence))
}

// rests handles the wait for the terminal of a program that draws its screen. The program is ready
// when nothing has moved for the time hold, unless a question is on the screen.
func (d *Detector) rests(l waits.Look, hold time.Duration, now time.Time) {
	k := &d.kernel
	for _, r := range []rung{rungSign, rungLine, rungGeneric} {
		if s := d.claims[r].state; s == profile.Asking || s == profile.Dialogue {
			d.retractKernel(now)
			return
		}
	}
	since := k.since
	if moved := d.moved(); moved.After(since) {
		since = moved
	}
	if d.starting() && d.output.After(d.moved()) {
		hold = max(hold, d.timing.StartMost) // something moves all the time
	}
	if at := since.Add(hold); at.After(now) {
		due := k.due
		if k.next(at); !l.Waits() && due.Before(k.due) {
			k.due = due // a program that also waits for other things may begin to work
		}
		d.retractKernel(now)
		return
	}
	k.hold()
	d.say(rungKernel, claim{
		state: profile.Ready, source: SourceKernel, confidence: sureGeneric, rule: "the program " + l.Kind.String() + ", and its screen rests",
	}, now)
}

// waitsForKeys handles the wait of a program that draws its screen and waits for nothing but its
// terminal. A wait that ends by itself may be a part of its work, and must last longer.
func (d *Detector) waitsForKeys(l waits.Look, now time.Time) {
	switch {
	case !d.generic || d.line.foreign || !d.turn && d.wasReady:
		d.retractKernel(now)
	case l.Timeout:
		d.rests(l, max(d.timing.PageHold, d.timing.UnsureHold), now)
	default:
		d.rests(l, d.timing.PageHold, now)
	}
}
