package turn

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// either is the screen of a program of which nothing is known: what it shows
// when a turn begins decides whether it is spoken to in lines or as one that
// draws its screen.
type either struct {
	console *console
	line    *terminal
	tui     *tui
	last    driver.Driver // who had the turn; nil: nobody yet
}

var _ driver.Live = (*either)(nil)

// Output implements screen.
func (d *either) Output(chunk []byte) { d.line.Output(chunk) }

// Resize implements screen.
func (d *either) Resize(s proc.Size) { d.line.Resize(s) }

// Sit implements screen.
func (d *either) Sit(p *proc.Desk) {
	d.line.Sit(p)
	d.tui.Sit(p)
}

// newEither is the screen of a terminal's program.
func newEither(c *console, screen *tui, lines lineOptions) *either {
	d := &either{console: c, tui: screen}
	lines.Takes = func() bool { return c.look().verdict.State == profile.Ready && d.draws() }
	d.line = newTerminal(lines, c, screen)
	return d
}

// Ready implements screen. A line program's rules hold for both: a prompt, or
// silence.
func (d *either) Ready(ctx context.Context, or <-chan struct{}, limit time.Duration, waits func(string)) error {
	return d.line.Ready(ctx, or, limit, waits)
}

// Deliver implements driver.
func (d *either) Deliver(ctx context.Context, t driver.Turn) driver.Outcome {
	return d.choose().Deliver(ctx, t)
}

// Call implements driver.
func (d *either) Call(ctx context.Context, t driver.Turn) (driver.CallResult, error) {
	return d.choose().Call(ctx, t)
}

// Interrupt implements driver.
func (d *either) Interrupt(ctx context.Context) error {
	if d.last == nil {
		return nil
	}
	return d.last.Interrupt(ctx)
}

// Idle implements driver.
func (d *either) Idle(ctx context.Context) error {
	if d.last == nil {
		return nil
	}
	return d.last.Idle(ctx)
}

// Close implements driver.
func (d *either) Close() {
	d.line.Close()
	d.tui.Close()
}

// choose looks at the screen.
func (d *either) choose() driver.Driver {
	d.last = d.line
	if d.draws() {
		d.last = d.tui
	}
	return d.last
}

// draws reports whether the program draws its screen: it uses the alternate one,
// or has an interrupt hint, a box or options on it while it reads keys.
func (d *either) draws() bool {
	v := d.console.look()
	if v.screen.Alternate {
		return true
	}
	mode, err := d.console.tty.Mode()
	if err != nil || mode.Canonical {
		return false
	}
	return boxed(v) || v.verdict.State == profile.Dialogue
}

// boxed reports whether the cursor is in something that was drawn around it:
// rows of lines above and below.
func boxed(v sight) bool {
	above, below := false, false
	for i, l := range v.screen.Lines {
		if frame(l.Text) {
			above = above || i < v.screen.CursorRow
			below = below || i > v.screen.CursorRow
		}
	}
	return above && below
}

// frame reports whether a row is mostly the side of a box.
func frame(row string) bool {
	n, all := 0, 0
	for _, c := range row {
		if c == ' ' {
			continue
		}
		all++
		if 0x2500 <= c && c <= 0x259f {
			n++
		}
	}
	return n >= 8 && n*2 > all
}
