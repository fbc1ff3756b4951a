package profile

import (
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/option"
)

// Question is what an agent asks on its screen.
type Question struct {
	// ID is a hash of the question and its options as they are shown: while it stays
	// the same, the same question is on the screen.
	ID string
	// Kind is "permission" (may I do this?) or "question" (which one?).
	Kind string
	// Rule is the profile's rule that read the question.
	Rule string
	Text string
	// Detail is the command, the diff or whatever the question is about, at most 8 KiB.
	Detail  string
	Options []Option
	// Rows are the rows above the cursor's that the question takes, if a program has printed
	// them line by line; nil if that is not known.
	Rows []string
	// Axis says that a marker moves over the options, down or across, and that nobody knows
	// which key moves it: it is seen. Marked is the option that the marker is on, -1 if the
	// screen does not tell. Options of such a question may have no Keys.
	Axis   option.Axis
	Marked int
	// Cancel are keys that decline, whatever the options are; nil if none are known.
	Cancel []string
}

// Option is one answer.
type Option struct {
	ID    string
	Label string
	Kind  string   // allow_once, allow_always, reject_once, reject_always, other
	Keys  []string // the keys that choose the option, each one write
	// Type is what is typed to choose the option, and then Enter, unless the program reads
	// single keys; "" if Keys or the marker choose it.
	Type string
	// Box says that the option has a check box, Checked that it is checked. Toggle is the key
	// that changes it; "" means space.
	Box, Checked bool
	Toggle       string
}

// The kinds of an option.
const (
	AllowOnce    = "allow_once"
	AllowAlways  = "allow_always"
	RejectOnce   = "reject_once"
	RejectAlways = "reject_always"
	Other        = "other"
)

// Safe returns what to choose if nobody decides: the option that rejects once,
// otherwise the keys that cancel the question. It reports false if there is neither.
func (q *Question) Safe() (Option, bool) {
	for _, kind := range []string{RejectOnce, RejectAlways} {
		for _, o := range q.Options {
			if o.Kind == kind {
				return o, true
			}
		}
	}
	if len(q.Cancel) > 0 {
		return Option{ID: "cancel", Label: "Cancel", Kind: RejectOnce, Keys: q.Cancel}, true
	}
	return Option{}, false
}

// Question reads the question on a screen; it reports false if none is asked.
func (p *Profile) Question(s term.Snapshot) (*Question, bool) {
	v := look(s)
	if !p.guesses() {
		if q, ok := p.question(v); ok {
			return q, true
		}
	}
	return Generic().anyone(v, !p.described())
}

func (p *Profile) question(v view) (*Question, bool) {
	for i := range p.Asks {
		if q, ok := p.Asks[i].read(v); ok {
			if !p.guesses() {
				q.Axis, q.Marked = option.Typed, 0 // the profile knows the keys
			}
			return q, true
		}
	}
	return nil, false
}
