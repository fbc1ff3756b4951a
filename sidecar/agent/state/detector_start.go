package state

import (
	"time"

	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// starting reports whether an agent of which nothing is known has not been ready yet.
func (d *Detector) starting() bool { return d.generic && !d.wasReady && !d.turn && !d.exited }

// started notes a pause in what a program writes until it is ready for the first time: the time
// until it writes anything is one.
func (d *Detector) started(output time.Time) {
	if d.starting() {
		d.pause = max(d.pause, output.Sub(d.output))
	}
}

// startHold is how long what such an agent draws at its start must rest: one that loads for long
// before it draws anything may load more.
func (d *Detector) startHold() time.Duration {
	return max(d.timing.StartHold, min(d.pause, d.timing.Silence))
}

// rests handles a wait for the terminal of a program that draws its screen: it is ready when
// nothing has moved for that long, unless a question stands there.
func (d *Detector) rests(l waits.Look, hold time.Duration, now time.Time) {
	k := &d.kernel
	for _, r := range []rung{rungSign, rungLine, rungGeneric} {
		if s := d.claims[r].state; s == profile.Asking || s == profile.Dialogue {
			d.unkernel(now)
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
	if left := hold - now.Sub(since); left > 0 {
		k.waiting = true
		if at := now.Add(max(left, k.rest.Sub(now))); at.Before(k.due) || l.Waits() {
			k.due = at
		}
		d.unkernel(now)
		return
	}
	k.waiting = false
	d.say(rungKernel, claim{
		state: profile.Ready, source: SourceKernel, confidence: sureGeneric, rule: "the program " + l.Kind.String() + ", and its screen rests",
	}, now)
}

// waitsForKeys handles the wait for nothing but the terminal of a program that draws its screen.
// A wait that ends by itself may be all that its work is, and has to last.
func (d *Detector) waitsForKeys(l waits.Look, now time.Time) {
	switch {
	case !d.generic || d.line.foreign || !d.turn && d.wasReady:
		d.unkernel(now)
	case l.Timeout:
		d.rests(l, max(d.timing.PageHold, d.timing.UnsureHold), now)
	default:
		d.rests(l, d.timing.PageHold, now)
	}
}
