package state

import (
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// rung is a source's place on the ladder; the lowest number is believed first.
type rung int

const (
	rungChannel rung = iota
	rungHook
	rungStatus   // OSC 7501
	rungMark     // OSC 133, 633
	rungProgress // OSC 9;4
	rungNotice   // notifications
	rungKernel   // the kernel says what the program waits for
	rungSign     // the profile's rules for title and rows
	rungLine     // what line editors do to the terminal
	rungGeneric  // rules that hold for every agent, and prompt patterns
	rungs
)

// claim is what one source says of the state until it says something else.
type claim struct {
	rung       rung
	state      profile.State // "" if the source says nothing now
	kind       string
	source     string
	rule       string
	message    string
	confidence float64
	failed     bool
	ended      bool // of Ready: the source says explicitly that a turn has ended

	since time.Time // when state and kind became what they are
	at    time.Time // when it last spoke

	// worked is true if the source has said Working since the message was submitted.
	worked bool
	// seen, of Asking, is true if the screen has shown a question since.
	seen bool
	// spoken is true if the source has said in this session that the agent is ready, so
	// that its not saying so means something.
	spoken bool
}

// say records what the source of a rung says. Saying the same again does not change
// since.
func (d *Detector) say(r rung, c claim, now time.Time) {
	old := &d.claims[r]
	c.rung, c.at, c.since, c.spoken = r, now, now, old.spoken || c.state == profile.Ready
	c.message = profile.CleanMessage(c.message)
	if old.state == c.state && old.kind == c.kind {
		c.since, c.seen = old.since, old.seen
		if c.message == "" {
			c.message = old.message
		}
	}
	if c.state == profile.Asking && d.claims[rungSign].state == profile.Asking {
		c.seen = true
	}
	// What the screen still shows from before the message is no work on this message.
	if c.worked = old.worked; c.state == profile.Working && (r < rungSign || !c.since.Before(d.submitted)) {
		c.worked, d.worked = true, true
	}
	*old = c
}

// hush makes a rung say nothing; whether it has spoken stays known.
func (d *Detector) hush(r rung, now time.Time) {
	old := d.claims[r]
	d.claims[r] = claim{rung: r, since: now, at: now, worked: old.worked, spoken: old.spoken}
}
