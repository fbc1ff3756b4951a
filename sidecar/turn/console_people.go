package turn

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// occupied reports whether anybody is there who types into the terminal.
func occupied(d *proc.Desk) bool { return d != nil && d.Occupied() }

// keysAt counts what people have typed there.
func keysAt(d *proc.Desk) uint64 {
	if d == nil {
		return 0
	}
	return d.Keys()
}

// aloneAt runs fn while nobody is in the middle of a line, which the task says if
// it takes long. look is nil where the line cannot be seen.
func aloneAt(ctx context.Context, d *proc.Desk, t driver.Turn, look proc.Look, fn func() error) error {
	if d == nil {
		return fn()
	}
	return d.ExclusiveAt(ctx, look, func() { t.WaitFor(aLine) }, func() error {
		t.WaitFor("")
		return fn()
	})
}

// What a turn waits for that only a person can end.
const (
	aLine = "the person at the agent's terminal, who is in the middle of a line"
	aTurn = "the agent, which works for the person at its terminal"
)

// tellTime is how long a turn waits for a person before its task says so.
const tellTime = time.Second

// lineAt reads an input: behind a continuation prompt the line before it is not
// at its end.
func lineAt(p *profile.Profile, v sight) proc.Line {
	text, ok := p.Input(v.screen)
	if !ok {
		return proc.LineUnknown
	}
	sign, known := p.Match(v.screen)
	switch {
	case text != "", known && sign.Rule == profile.RuleContinuation:
		return proc.LineBegun
	case v.verdict.State == profile.Ready:
		return proc.LineEmpty
	}
	return proc.LineUnknown
}
