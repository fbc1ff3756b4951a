package line

import (
	"context"
	"syscall"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// leaveScreenTime is how long a full-screen program may take to leave the alternate
// screen after it was interrupted, or hung up.
const leaveScreenTime = time.Second

// closeScreen hangs up (SIGHUP) a full-screen program that the agent has started
// and that an interrupt has not ended: it would keep the terminal forever. It does
// nothing to a shell, or to a program without a process group of its own.
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
	// The shell writes its prompt when the program is gone, and the program may not
	// have left the alternate screen by then. So our model leaves that screen
	// before the program is hung up.
	d.draw("\x1b[?1049l\x1b[?25h")
	_ = syscall.Kill(-mode.Foreground, syscall.SIGHUP) // a program that has just ended needs no signal
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

// draw writes on our model of the screen, in place of the program.
func (d *Driver) draw(text string) {
	d.console.Write([]byte(text))
}

// overdrawn reports whether a program that the agent has started draws a screen of
// its own, though the agent itself prints lines.
func (d *Driver) overdrawn() bool {
	return !d.console.Profile.TUI && d.console.Profile.Name != profile.GenericName && d.foreignScreen()
}

// foreignScreen reports whether a process group other than the agent's own uses the
// alternate screen.
func (d *Driver) foreignScreen() bool {
	if !d.console.Look().Screen.Alternate {
		return false
	}
	mode, err := d.term.Mode()
	return err == nil && d.console.PID != 0 && mode.Foreground != d.console.PID
}
