package tui

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

const (
	// hiddenTime is how long an agent that is ready may show no input before it is
	// made to draw its screen anew, and blankTime how long the screen of one may
	// stand still that shows neither an input nor any work.
	hiddenTime, blankTime = 2 * time.Second, 5 * time.Second
	// redrawGap is the least time between two such redraws.
	redrawGap = 5 * time.Second
	// sizeTime is how long the other size lasts: agents wait whether more follows.
	sizeTime = 500 * time.Millisecond
)

// redraw makes an agent draw its screen anew whose input ought to be there and is
// not to be found: some leave rows behind that belong nowhere. It returns how long
// it takes until that is due, 0 for never.
func (d *Driver) redraw(ctx context.Context, v console.Observation) (left time.Duration) {
	since, hidden := d.hidden(v)
	if !hidden {
		return 0
	}
	now := d.console.Now()
	if left = max(since.Sub(now), d.redrawn.Add(redrawGap).Sub(now)); left > 0 {
		return left
	}
	d.console.Log.Info("the agent's input is not on its screen, which it is made to draw anew", "state", string(v.Verdict.State))
	if err := d.nudge(ctx); err != nil {
		d.console.Log.Warn("the terminal's size cannot be changed", "error", err)
	}
	d.redrawn = d.console.Now()
	return redrawGap
}

// hidden reports whether the input ought to be there and is not, and when that
// will have been so for long enough.
func (d *Driver) hidden(v console.Observation) (due time.Time, hidden bool) {
	if _, ok := d.profile.Input(v.Screen); ok || !d.boxed() {
		return due, false
	}
	switch _, known := d.profile.Match(v.Screen); {
	case v.Verdict.State == profile.Ready:
		return v.Verdict.Since.Add(hiddenTime), true
	case v.Verdict.State != profile.Starting && !known:
		return later(v.Verdict.Since, v.Screen.Output).Add(blankTime), true
	}
	return due, false
}

// nudge makes the terminal a little smaller for a moment. Somebody's own resize in
// that moment stays.
func (d *Driver) nudge(ctx context.Context) error {
	size, err := d.tty.Size()
	if err != nil {
		return err
	}
	smaller := size
	smaller.Cols, smaller.Rows = max(size.Cols-1, 1), max(size.Rows-1, 1)
	if err := d.tty.Resize(smaller); err != nil {
		return err
	}
	d.console.Within(ctx, sizeTime, func(console.Observation) bool { return false })
	if now, err := d.tty.Size(); err != nil || now != smaller {
		return err
	}
	return d.tty.Resize(size)
}
