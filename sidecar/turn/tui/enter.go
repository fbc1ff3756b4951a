package tui

import (
	"context"
	"errors"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// grown reports whether the message stands in the input as it did before its Enter,
// with one more row: the agent took the Enter for a part of the text.
func (x *round) grown(v console.Observation) bool {
	in := x.d.input(v.Screen)
	return in.ok && in.text != "" && in.text == x.stood.text && x.d.profile.InputRows(v.Screen) > x.rows &&
		v.Verdict.State != profile.Asking && v.Verdict.State != profile.Dialogue
}

// enterAgain types Enter once more if the message still stands in the input after
// EnterGap.
func (x *round) enterAgain(ctx context.Context) error {
	d := x.d
	d.console.Within(ctx, x.d.profile.Timing.EnterGap, func(v console.Observation) bool { return !x.grown(v) })
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
	return !v.Screen.Output.After(x.sent) && x.d.console.Now().Sub(x.sent) < x.d.profile.Timing.StallLimit
}

// unshown reports whether the input that may hold the message is not on the screen,
// and whether it may still be drawn again: at most StallLimit after the Enter.
func (x *round) unshown(v console.Observation) bool {
	return !x.d.input(v.Screen).ok && x.d.boxed() && x.d.console.Now().Sub(x.sent) < x.d.profile.Timing.StallLimit
}

// unsent takes back a message that was not sent. It types nothing if the agent has
// drawn nothing since the Enter: the Enter may have emptied the input, where the
// keys for that end some agents.
func (x *round) unsent(ctx context.Context) error {
	d := x.d
	d.stage = typing
	if v := d.console.Look(); !v.Screen.Output.After(x.sent) {
		return d.notSubmitted()
	}
	return errors.Join(d.notSubmitted(), d.clear(ctx))
}
