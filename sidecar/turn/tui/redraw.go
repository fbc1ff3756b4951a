package tui

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// redraw makes an agent redraw its screen if its input should be there and is not:
// some agents leave stray rows behind. It returns how long it takes until a redraw
// is due; 0 means never.
func (d *Driver) redraw(ctx context.Context, v console.Observation) (left time.Duration) {
	since, hidden := d.hidden(v)
	if !hidden {
		return 0
	}
	now := d.console.Now()
	if left = max(since.Sub(now), d.redrawn.Add(d.profile.Timing.RedrawGap).Sub(now)); left > 0 {
		return left
	}
	d.console.Log.Info("the agent's input is not on its screen, which it is made to draw anew", "state", string(v.Verdict.State))
	if err := d.nudge(ctx); err != nil {
		d.console.Log.Warn("the terminal's size cannot be changed", "error", err)
	}
	d.redrawn = d.console.Now()
	return d.profile.Timing.RedrawGap
}

// hidden reports whether the input should be on the screen and is not. due is when
// this will have lasted long enough.
func (d *Driver) hidden(v console.Observation) (due time.Time, hidden bool) {
	if _, ok := d.profile.Input(v.Screen); ok || !d.boxed() {
		return due, false
	}
	switch _, known := d.profile.Match(v.Screen); {
	case v.Verdict.State == profile.Ready:
		return v.Verdict.Since.Add(d.profile.Timing.HiddenHold), true
	case v.Verdict.State != profile.Starting && !known:
		return later(v.Verdict.Since, v.Screen.Output).Add(d.profile.Timing.BlankHold), true
	}
	return due, false
}

// nudge makes the terminal a little smaller for ResizeHold. If somebody resizes it
// meanwhile, that size stays.
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
	d.console.Within(ctx, d.profile.Timing.ResizeHold, func(console.Observation) bool { return false })
	if now, err := d.tty.Size(); err != nil || now != smaller {
		return err
	}
	return d.tty.Resize(size)
}
