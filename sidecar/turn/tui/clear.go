package tui

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// errHolds says that the text in the input would be sent with the message.
var errHolds = errors.New("the agent's input holds text already, and it cannot be cleared: nothing was typed")

// empty makes sure that the input is empty and stays so for a moment: nothing of
// another message, or of a person who has gone, may be sent with this one.
func (d *Driver) empty(ctx context.Context) error {
	for range d.profile.Timing.EmptyTries {
		if err := d.clear(ctx); err != nil {
			return err
		}
		if d.holds(d.console.Look()) {
			return errHolds
		}
		if d.staysEmpty(ctx) {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return errHolds
}

// staysEmpty reports whether the input stays empty for EmptyHold, counted from the
// last output.
func (d *Driver) staysEmpty(ctx context.Context) bool {
	v := d.console.Look()
	hold := min(d.profile.Timing.EmptyHold, d.profile.Timing.EmptyHold-d.console.Now().Sub(v.Screen.Output))
	if len(d.profile.Clear) == 0 || hold <= 0 {
		return true
	}
	d.console.Within(ctx, hold, d.holds)
	return ctx.Err() == nil && !d.holds(d.console.Look())
}

// clear empties the input if the profile knows the keys. It types nothing into an
// empty input, where these keys would end some agents and a dialog would take them
// for an answer. If a message was just typed, clear waits for its echo: until then
// the input only looks empty.
func (d *Driver) clear(ctx context.Context) error {
	if len(d.profile.Clear) == 0 {
		return nil
	}
	if d.cut {
		if err := d.write(ctx, pasteEnd); err != nil {
			return err
		}
		d.cut = false
	}
	if x := d.echoing; x != nil {
		if err := x.shown(ctx); ctx.Err() != nil {
			return err
		}
		d.echoing = nil
	}
	if !d.holds(d.console.Look()) {
		return nil
	}
	if err := pause(ctx, d.profile.Timing.ClearGap-d.console.Now().Sub(d.cleared)); err != nil {
		return err
	}
	if !d.holds(d.console.Look()) { // a person has emptied it meanwhile
		return nil
	}
	d.cleared = d.console.Now()
	if err := d.press(ctx, d.profile.Clear); err != nil {
		return err
	}
	d.console.Within(ctx, d.profile.Timing.ClearLimit, func(v console.Observation) bool { return !d.holds(v) }) // the caller checks, if it must
	return nil
}

// takeBack clears the message that the agent has put back into its input after its
// turn was interrupted. A person's own text stays.
func (d *Driver) takeBack(ctx context.Context) error {
	d.inputRests(ctx)
	in := d.input(d.console.Look().Screen)
	if !in.ok || in.text == "" || console.Occupied(d.people) && !strings.Contains(squeeze(in.text), d.at.ending) {
		return context.Cause(ctx)
	}
	return d.clear(ctx)
}

// accompanied reports whether other text stands in the input together with the
// message: an agent may put an older message back while this one is typed.
func (x *round) accompanied(in entry, body string) bool {
	if len(x.d.profile.Clear) == 0 {
		return false
	}
	shown, message := squeeze(in.text), squeeze(body)
	if strings.Contains(message, shown) {
		return false
	}
	if rest, pasted := x.d.profile.WithoutPastes(in.text); pasted {
		return !strings.HasPrefix(message, squeeze(rest))
	}
	return strings.HasSuffix(shown, message) || strings.HasPrefix(shown, message)
}

// inputRests waits until the input has not changed for BackHold.
func (d *Driver) inputRests(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, d.profile.Timing.BackLimit)
	defer cancel()
	for was := d.input(d.console.Look().Screen); ctx.Err() == nil; {
		var now entry
		d.console.Within(ctx, d.profile.Timing.BackHold, func(v console.Observation) bool {
			now = d.input(v.Screen)
			return now != was
		})
		if now == was {
			return
		}
		was = now
	}
}

// holds reports whether text stands in the input. If an agent takes a message and
// shows no input, the text has outgrown the screen.
func (d *Driver) holds(v console.Observation) bool {
	in := d.input(v.Screen)
	if !in.ok {
		return d.stage == typing && d.boxed() && v.Verdict.State == profile.Ready
	}
	return in.text != ""
}

// pause waits for d. The error is the cause of the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
