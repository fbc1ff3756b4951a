package line

import (
	"context"
	"syscall"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// leaveScreenTime is how long a full-screen program may take to leave the screen
// after it was interrupted, or hung up.
const leaveScreenTime = time.Second

// closeScreen hangs up a full-screen program that the agent has started and that
// an interrupt has not ended: it would keep the terminal for ever. A shell, or what
// has no process group of its own, is left alone.
func (d *Driver) closeScreen(ctx context.Context) {
	if !d.overdrawn() {
		return
	}
	wait, cancel := context.WithTimeout(ctx, leaveScreenTime)
	defer cancel()
	left := func(console.Observation) bool { return !d.foreignScreen() }
	if d.console.Until(wait, left) == nil || ctx.Err() != nil {
		return
	}
	mode, err := d.term.Mode()
	if err != nil || mode.Foreground <= 1 || mode.Foreground == d.console.PID {
		return
	}
	// The shell writes its prompt when the program is gone, which may not have left
	// the screen: so it has left it, for us, before it is hung up.
	d.draw("\x1b[?1049l\x1b[?25h")
	_ = syscall.Kill(-mode.Foreground, syscall.SIGHUP) // one that has just ended needs none
	back := false
	d.console.Within(ctx, leaveScreenTime, func(console.Observation) bool {
		mode, err := d.term.Mode()
		back = err == nil && mode.Foreground == d.console.PID
		return back
	})
	if !back {
		d.draw("\x1b[?1049h")
	}
}

// draw writes on the screen as we know it, in place of the program.
func (d *Driver) draw(text string) {
	d.buffer.draw([]byte(text))
	d.console.Write([]byte(text))
}

// overdrawn reports whether a program that the agent has started, which prints lines,
// draws a screen of its own.
func (d *Driver) overdrawn() bool {
	return !d.console.Profile.TUI && d.console.Profile.Name != profile.GenericName && d.foreignScreen()
}

// foreignScreen reports whether another process group than the agent's own has the
// alternate screen.
func (d *Driver) foreignScreen() bool {
	if !d.console.Look().Screen.Alternate {
		return false
	}
	mode, err := d.term.Mode()
	return err == nil && d.console.PID != 0 && mode.Foreground != d.console.PID
}
