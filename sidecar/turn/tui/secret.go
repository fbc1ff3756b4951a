package tui

import (
	"context"
	"errors"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// swallowTime is how long a program may look at a secret before its echo is back
// or it says something.
const swallowTime = 30 * time.Second

// errNotSwallowed: a secret changed nothing.
var errNotSwallowed = errors.New("the agent did not take the secret within " + swallowTime.String() + ": its terminal still awaits a line without echo")

// secret reports whether a line is awaited without echo.
func secret(v state.Verdict) bool {
	return v.Kind == profile.KindAuth && v.Source == state.SourceReadline
}

// unseen reports whether what is typed is not shown.
func (x *round) unseen() bool {
	mode, err := x.d.tty.Mode()
	return err != nil || mode.Canonical && !mode.Echo
}

// swallowed waits until a secret has been read: the echo is back, or the cursor
// stands elsewhere than before. What the program does with the secret then, and
// for how long, is its turn. The same question in another row is a new one.
func (x *round) swallowed(ctx context.Context, q *profile.Question, before term.Snapshot) error {
	wait, cancel := context.WithTimeout(ctx, swallowTime)
	defer cancel()
	err := x.d.console.Until(wait, func(v console.Observation) bool {
		return !x.same(v, q) || x.over() || cursorAt(v.Screen) != cursorAt(before)
	})
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return errors.Join(errNotSwallowed, x.withdraw(ctx, q))
}

// cursorAt is the cursor's row, counted from the first that the program wrote.
func cursorAt(s term.Snapshot) uint64 { return s.Scrolled + uint64(s.CursorRow) }
