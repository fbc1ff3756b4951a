package turn

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/profile"
)

const (
	// maxEnters is how often Enter is typed for a message whose agent takes it for a
	// part of the text: some do when it comes soon after a paste, by a clock of their
	// own that is slow on a busy machine.
	maxEnters = 4
	// enterGap is how long the text must have stood with such an Enter in it before
	// the next.
	enterGap = 700 * time.Millisecond
)

// grown reports whether the message stands in the input as it did before its Enter,
// with one more row: the Enter was taken for a part of it.
func (x *round) grown(v sight) bool {
	in := x.d.input(v.screen)
	return in.ok && in.text != "" && in.text == x.stood.text && x.d.profile.InputRows(v.screen) > x.rows &&
		v.verdict.State != profile.Asking && v.verdict.State != profile.Dialogue
}

// enterAgain types Enter once more, if the message still stands there after a while.
func (x *round) enterAgain(ctx context.Context) error {
	d := x.d
	d.within(ctx, enterGap, func(v sight) bool { return !x.grown(v) })
	v := d.console.look()
	if ended(ctx) || !x.grown(v) {
		return nil
	}
	x.rows = d.profile.InputRows(v.screen)
	x.sent = d.console.now()
	d.console.log.Info("the agent has taken Enter for a part of the message, and gets another")
	return d.write(ctx, d.enterKey())
}
