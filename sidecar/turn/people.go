package turn

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
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

// aloneAt runs fn while nobody is in the middle of a line.
func aloneAt(ctx context.Context, d *proc.Desk, fn func() error) error {
	if d == nil {
		return fn()
	}
	return d.Exclusive(ctx, fn)
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
