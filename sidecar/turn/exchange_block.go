package turn

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/profile"
)

// complete sees to it that the program does not wait for more of the message: at
// its continuation prompt the next message would become a part of this one. A
// block is ended by an empty line where the profile says so; anything else is
// taken back, and an error.
func (e *exchange) complete(ctx context.Context) error {
	if e.over() || !e.d.continues() {
		return nil
	}
	if e.d.console.profile.Submit.BlankEnds {
		if err := e.enter(ctx, ""); err != nil {
			return err
		}
		if err := e.wait(ctx); err != nil || e.over() || !e.d.continues() {
			return err
		}
	}
	prompt := strings.TrimSpace(e.d.tape.look().current)
	err := fmt.Errorf("the message is not complete: %s waits for the rest of it at its prompt %q; it was taken back", e.d.console.profile.Name, prompt)
	return errors.Join(err, e.takeBack(ctx))
}

// continues reports whether the program itself, and none that it has started,
// stands at the prompt for more of what was begun.
func (d *terminal) continues() bool {
	rule, ok := d.console.profile.PromptRow(d.tape.look().current)
	if !ok || rule != profile.RuleContinuation {
		return false
	}
	mode, err := d.term.Mode()
	return err == nil && (d.console.pid == 0 || mode.Foreground == d.console.pid)
}

// takeBack types the keys that empty the input, and waits for the prompt. What
// the program says of them is no answer.
func (e *exchange) takeBack(ctx context.Context) error {
	e.d.tape.ignore()
	before := e.d.tape.look().changed
	keys := strings.Join(e.d.console.profile.Clear, "")
	if keys == "" {
		keys = string(rune(interruptByte))
	}
	if err := e.write(ctx, keys); err != nil {
		return err
	}
	select {
	case <-before:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return e.d.Idle(ctx)
}
