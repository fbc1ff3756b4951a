package tui

import (
	"context"
	"errors"
	"fmt"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// notSwallowed says that a secret changed nothing.
func (d *Driver) notSwallowed() error {
	return fmt.Errorf("the agent did not take the secret within %s: its terminal still awaits a line without echo", d.profile.Timing.SecretLimit)
}

// secret reports whether a line is awaited without echo.
func secret(v state.Verdict) bool {
	return v.Kind == profile.KindAuth && v.Source == state.SourceReadline
}

// unseen reports whether the terminal does not show what is typed.
func (x *round) unseen() bool {
	mode, err := x.d.tty.Mode()
	return err != nil || mode.Canonical && !mode.Echo
}

// swallowed waits until the program has read a secret: the echo is back, or the
// cursor is on another row than before. What the program then does with the secret,
// and for how long, is a part of its turn. The same question on another row is a
// new one.
func (x *round) swallowed(ctx context.Context, q *profile.Question, before term.Snapshot) error {
	wait, cancel := context.WithTimeout(ctx, x.d.profile.Timing.SecretLimit)
	defer cancel()
	err := x.d.console.Until(wait, func(v console.Observation) bool {
		return !x.same(v, q) || x.over() || cursorAt(v.Screen) != cursorAt(before)
	})
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return errors.Join(x.d.notSwallowed(), x.withdraw(ctx, q))
}

// cursorAt returns the cursor's row, counted from the first row that the program
// wrote.
func cursorAt(s term.Snapshot) uint64 { return s.Scrolled + uint64(s.CursorRow) }
