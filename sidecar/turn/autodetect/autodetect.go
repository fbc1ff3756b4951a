package autodetect

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/line"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/tui"
)

// Driver speaks to a program of which nothing is known. What the program shows when
// a turn begins decides whether the driver uses lines or the screen.
type Driver struct {
	console *console.Console
	line    *line.Driver
	tui     *tui.Driver
	last    driver.Driver // the driver that had the last turn; nil: no turn yet
}

var _ driver.Live = (*Driver)(nil)

// Output implements driver.Live.
func (d *Driver) Output(chunk []byte) { d.line.Output(chunk) }

// Sit implements driver.Live.
func (d *Driver) Sit(p *tty.Arbiter) {
	d.line.Sit(p)
	d.tui.Sit(p)
}

// New returns the driver for the program of a console.
func New(c *console.Console, screen *tui.Driver, lines line.Options) *Driver {
	d := &Driver{console: c, tui: screen}
	lines.Takes = func() bool { return (c.Look().Verdict.State == profile.Ready || d.asks()) && d.draws() }
	d.line = line.New(lines, c, screen)
	return d
}

// Ready implements driver.Live. The rules of a line program hold for both kinds: a
// prompt, or silence.
func (d *Driver) Ready(ctx context.Context, or <-chan struct{}, limit time.Duration, waits func(string)) error {
	return d.line.Ready(ctx, or, limit, waits)
}

// Deliver implements driver.Driver.
func (d *Driver) Deliver(ctx context.Context, t driver.Turn) driver.Outcome {
	return d.choose().Deliver(ctx, t)
}

// Call implements driver.Driver.
func (d *Driver) Call(ctx context.Context, t driver.Turn) (driver.CallResult, error) {
	return d.choose().Call(ctx, t)
}

// Interrupt implements driver.Driver.
func (d *Driver) Interrupt(ctx context.Context) error {
	if d.last == nil {
		return nil
	}
	return d.last.Interrupt(ctx)
}

// Idle implements driver.Driver.
func (d *Driver) Idle(ctx context.Context) error {
	if d.last == nil {
		return nil
	}
	return d.last.Idle(ctx)
}

// Close implements driver.Driver.
func (d *Driver) Close() {
	d.line.Close()
	d.tui.Close()
}

// asks reports whether the program asks something that can be read: the caller of the next message
// answers it before that message is typed.
func (d *Driver) asks() bool {
	v := d.console.Look()
	if v.Verdict.State != profile.Asking && v.Verdict.State != profile.Dialogue {
		return false
	}
	_, ok := d.console.Profile.Question(v.Screen)
	return ok
}

// choose looks at the screen and returns the driver to use.
func (d *Driver) choose() driver.Driver {
	d.last = d.line
	if d.draws() {
		d.last = d.tui
	}
	d.console.SetDrawing(d.last == driver.Driver(d.tui))
	return d.last
}

// draws reports whether the program draws its screen, as far as it can be seen now.
func (d *Driver) draws() bool {
	mode, err := d.console.TTY.Mode()
	v := d.console.Look()
	if err != nil {
		return v.Screen.Alternate
	}
	return Draws(v, mode)
}
