package line

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// killLine is Ctrl-U, which deletes an unfinished line, both in the terminal's own
// line mode and in line editors.
const killLine = 0x15

// line reports what the program shows after its prompt. The answer is LineUnknown
// once a line of ours was typed there.
func (d *Driver) line() (tty.Line, time.Time, <-chan struct{}) {
	v := d.console.Look()
	switch {
	case d.people.Escaped():
		return tty.LineBegun, v.Screen.Output, v.Changed
	case d.typed:
		return tty.LineUnknown, v.Screen.Output, v.Changed
	}
	return console.InputLine(d.console.Profile, v), v.Screen.Output, v.Changed
}

// clearLine deletes the unfinished line of a person who has gone: it would become a
// part of the message.
func (d *Driver) clearLine(ctx context.Context) error {
	if d.people == nil || !d.people.Left() {
		return nil
	}
	before := d.buffer.look().Changed
	if _, err := d.term.Type(ctx, string(rune(killLine))); err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, echoTime)
	defer cancel()
	select {
	case <-before:
		_ = d.until(wait, nil, func(term.Text) (time.Duration, bool) { return settleKnown, true })
	case <-wait.Done(): // without echo there is nothing to see
	}
	return context.Cause(ctx)
}
