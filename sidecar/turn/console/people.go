package console

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// Occupied reports whether anybody else types into the terminal.
func Occupied(d *tty.Arbiter) bool { return d != nil && d.Occupied() }

// Keys returns how many keys people have typed into the terminal.
func Keys(d *tty.Arbiter) uint64 {
	if d == nil {
		return 0
	}
	return d.Keys()
}

// Alone runs fn while no person is in the middle of a line. If that takes long, the
// task says so. look is nil if the line cannot be seen.
func Alone(ctx context.Context, d *tty.Arbiter, t driver.Turn, look tty.LineFunc, fn func() error) error {
	if d == nil {
		return fn()
	}
	return d.Exclusive(ctx, look, func() { t.WaitFor(LineOfPerson) }, func() error {
		t.WaitFor("")
		return fn()
	})
}

// What a turn waits for if only a person can end the wait.
const (
	LineOfPerson = "the person at the agent's terminal, who is in the middle of a line"
	TurnOfPerson = "the agent, which works for the person at its terminal"
)

// TellTime is how long a turn waits for a person before its task says so.
const TellTime = time.Second

// InputLine reports how far the line in the input has come. At a continuation
// prompt the person's line has not ended.
func InputLine(p *profile.Profile, v Observation) tty.Line {
	text, ok := p.Input(v.Screen)
	if !ok {
		return tty.LineUnknown
	}
	sign, known := p.Match(v.Screen)
	switch {
	case text != "", known && sign.Rule == profile.RuleContinuation:
		return tty.LineBegun
	case v.Verdict.State == profile.Ready:
		return tty.LineEmpty
	}
	return tty.LineUnknown
}
