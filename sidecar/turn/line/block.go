package line

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// complete makes sure that the program does not wait for more of the message: at
// its continuation prompt, the next message would become a part of this one. An
// empty line ends a block where the profile says so. Any other unfinished message
// is taken back, and that is an error.
func (e *exchange) complete(ctx context.Context) error {
	if e.over() || !e.d.continues() {
		return nil
	}
	if e.d.console.Profile.Submit.BlankEnds {
		if err := e.enter(ctx, ""); err != nil {
			return err
		}
		if err := e.wait(ctx); err != nil {
			return err
		}
		if e.settleDrawn(); e.over() || !e.d.continues() {
			return nil
		}
	}
	prompt := strings.TrimSpace(e.d.buffer.look().Current)
	what := fmt.Sprintf("the message is not complete: %s waits for the rest of it at its prompt %q", e.d.console.Profile.Name, prompt)
	if err := e.takeBack(ctx); err != nil {
		return fmt.Errorf("%s, and it could not be taken back: %w", what, err)
	}
	return errors.New(what + "; it was taken back")
}

// errStillOpen says that the keys that empty the input have not ended the
// unfinished input.
var errStillOpen = errors.New("the program still waits for the rest")

// continues reports whether the program itself, and not one that it has started,
// shows the prompt for more of an unfinished input.
func (d *Driver) continues() bool {
	rule, ok := d.console.Profile.PromptRow(d.buffer.look().Current)
	if !ok || rule != profile.RuleContinuation {
		return false
	}
	mode, err := d.term.Mode()
	return err == nil && (d.console.PID == 0 || mode.Foreground == d.console.PID)
}

// takeBack types the keys that empty the input, and waits for the prompt. What the
// program prints in reply is not part of the answer. It waits at most echoTime for
// the program to print something.
func (e *exchange) takeBack(ctx context.Context) error {
	e.d.buffer.ignore()
	before := e.d.buffer.look().Changed
	keys := strings.Join(e.d.console.Profile.Clear, "")
	if keys == "" {
		keys = string(rune(console.CtrlC))
	}
	if err := e.write(ctx, keys); err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, echoTime)
	defer cancel()
	select {
	case <-before:
	case <-wait.Done():
	}
	if err := e.d.Idle(ctx); err != nil {
		return err
	}
	if e.d.continues() {
		return errStillOpen
	}
	return nil
}
