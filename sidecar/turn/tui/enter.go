package tui

import (
	"context"
	"errors"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

const (
	// maxEnters is how often Enter is typed for a message whose agent takes it for a
	// part of the text: some do when it comes soon after a paste, by a clock of their
	// own that is slow on a busy machine.
	maxEnters = 4
	// enterGap is how long the text must have stood with such an Enter in it before
	// the next.
	enterGap = 700 * time.Millisecond
	// stallTime is how long an agent may draw nothing at all after an Enter: one that
	// is busy with itself, or on a busy machine, has not read it yet.
	stallTime = 20 * time.Second
)

// grown reports whether the message stands in the input as it did before its Enter,
// with one more row: the Enter was taken for a part of it.
func (x *round) grown(v console.Observation) bool {
	in := x.d.input(v.Screen)
	return in.ok && in.text != "" && in.text == x.stood.text && x.d.profile.InputRows(v.Screen) > x.rows &&
		v.Verdict.State != profile.Asking && v.Verdict.State != profile.Dialogue
}

// enterAgain types Enter once more, if the message still stands there after a while.
func (x *round) enterAgain(ctx context.Context) error {
	d := x.d
	d.console.Within(ctx, enterGap, func(v console.Observation) bool { return !x.grown(v) })
	v := d.console.Look()
	if ctx.Err() != nil || !x.grown(v) {
		return nil
	}
	x.rows = d.profile.InputRows(v.Screen)
	x.sent = d.console.Now()
	d.console.Log.Info("the agent has taken Enter for a part of the message, and gets another")
	return d.write(ctx, d.enterKey())
}

// stalled reports whether the agent may not have read the Enter yet.
func (x *round) stalled(v console.Observation) bool {
	return !v.Screen.Output.After(x.sent) && x.d.console.Now().Sub(x.sent) < stallTime
}

// unshown reports whether the input in which the message may stand is not to be
// found, for not longer than it may take until it was drawn anew.
func (x *round) unshown(v console.Observation) bool {
	return !x.d.input(v.Screen).ok && x.d.boxed() && x.d.console.Now().Sub(x.sent) < stallTime
}

// unsent takes a message back that was not sent. From an agent that has drawn
// nothing since, it is not: the Enter may have emptied the input, where the keys for
// that end some.
func (x *round) unsent(ctx context.Context) error {
	d := x.d
	d.stage = typing
	if v := d.console.Look(); !v.Screen.Output.After(x.sent) {
		return errNotSubmitted
	}
	return errors.Join(errNotSubmitted, d.clear(ctx))
}
