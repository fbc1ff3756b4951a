package turn

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// killLine is Ctrl-U, which takes back the line that was begun: in the
// terminal's own line mode, and in line editors.
const killLine = 0x15

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

// WaitFor implements driver.Turn: it keeps in the task's status what the turn waits for, "" for nothing.
func (t *turn) WaitFor(what string) {
	if t.listing.said() == what {
		return
	}
	t.listing.waits.Store(&what)
	if what == "" {
		t.Say("")
		return
	}
	t.Say("waiting for " + what)
}

// Say implements driver.Turn.
func (t *turn) Say(text string) {
	var m *a2a.Message
	if text != "" {
		m = says(t.task, a2a.TextPart(text))
	}
	_ = t.task.Status(a2a.StateWorking, m, nil) // one that has ended says nothing more
}

// line is what the agent shows in its input.
func (d *tui) line() (proc.Line, time.Time, <-chan struct{}) {
	v := d.console.look()
	return lineAt(d.profile, v), v.screen.Output, v.changed
}

// line is what the program shows behind its prompt. It knows nothing once a line
// of ours stands there.
func (d *terminal) line() (proc.Line, time.Time, <-chan struct{}) {
	v := d.console.look()
	switch {
	case d.people.Escaped():
		return proc.LineBegun, v.screen.Output, v.changed
	case d.typed:
		return proc.LineUnknown, v.screen.Output, v.changed
	}
	return lineAt(d.console.profile, v), v.screen.Output, v.changed
}

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

// clearLine takes back what somebody has begun to type who has gone: it would
// become a part of the message.
func (d *terminal) clearLine(ctx context.Context) error {
	if d.people == nil || !d.people.Left() {
		return nil
	}
	before := d.tape.look().changed
	if _, err := d.term.WriteContext(ctx, []byte{killLine}); err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, echoTime)
	defer cancel()
	select {
	case <-before:
		_ = d.until(wait, nil, func(view) (time.Duration, bool) { return settleKnown, true })
	case <-wait.Done(): // nothing is to be seen where nothing is echoed
	}
	return context.Cause(ctx)
}
