package state

import (
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// rung is a place on the ladder of sources; the lowest number is believed
// first.
type rung int

const (
	rungChannel rung = iota
	rungHook
	rungStatus   // OSC 7501
	rungMark     // OSC 133, 633
	rungProgress // OSC 9;4
	rungNotice   // notifications
	rungSign     // the profile's rules for title and rows
	rungLine     // what line editors do to the terminal
	rungGeneric  // rules that hold for every agent, and prompt patterns
	rungs
)

// claim is what one source says of the state, until it says something else.
type claim struct {
	rung       rung
	state      profile.State // "": it says nothing now
	kind       string
	source     string
	rule       string
	message    string
	confidence float64
	failed     bool
	ended      bool // of Ready: it says outright that a turn has ended

	since time.Time // when state and kind became what they are
	at    time.Time // when it last spoke

	// worked: it has said Working since the message was submitted.
	worked bool
	// seen, of Asking: the screen has shown a question since.
	seen bool
	// spoken: it has said in this session that the agent is ready, so that its
	// not saying so means something.
	spoken bool
}

// say makes the source of a rung say something. Saying the same again keeps
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
	// What a screen still shows of the time before is no work on this message.
	if c.worked = old.worked; c.state == profile.Working && (r < rungSign || !c.since.Before(d.submitted)) {
		c.worked, d.worked = true, true
	}
	*old = c
}

// hush makes a rung say nothing; that it has spoken stays known.
func (d *Detector) hush(r rung, now time.Time) {
	old := d.claims[r]
	d.claims[r] = claim{rung: r, since: now, at: now, worked: old.worked, spoken: old.spoken}
}
