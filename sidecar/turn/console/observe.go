package console

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// beat is the shortest time between two looks at a screen that keeps changing. A
// signal of the agent (a mark, a report) is looked at without delay.
const beat = 5 * time.Millisecond

// echoBeat is how often the terminal is asked whether its echo is back while a line is
// awaited without echo, and whether it has gone while a program that reads lines has left
// the cursor behind a text: nothing else reports that.
const echoBeat = 100 * time.Millisecond

// Observation is what the screen showed and what the agent did at one moment.
type Observation struct {
	Screen  term.Snapshot
	Verdict state.Verdict
	// Unlooked is true if it is yet to be looked at what the program waits for, so that what
	// its last row looks like is not to be believed.
	Unlooked bool
	// Moved is when the screen last changed, apart from rows that change all the time: a clock.
	Moved   time.Time
	Changed chan struct{} // closed at the next change
}

// observe looks at the screen whenever it changes, and when the passing of time
// alone may change what it means.
func (c *Console) observe(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		changed := c.screen.Changed()
		recheck := c.evaluate()
		if c.lookNow() {
			recheck = c.evaluate()
		}
		timer.Stop()
		var due <-chan time.Time
		if recheck > 0 {
			timer.Reset(recheck)
			due = timer.C
		}
		select {
		case <-changed:
			timer.Reset(beat)
			select {
			case <-timer.C:
			case <-c.urgent:
			case <-ctx.Done():
			}
		case <-c.urgent:
		case <-due:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// evaluate shows the screen to the detector and wakes those who wait. It returns
// how long to wait before it has to be called again if nothing changes; 0 means
// never.
func (c *Console) evaluate() time.Duration {
	snap := c.screen.Snapshot()
	mode, err := c.TTY.Mode()
	now := c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.detector.Screen(snap, c.terminal(mode), now)
	}
	v, recheck := c.detector.Verdict(now)
	c.publish(snap, v)
	if wait, wanted := c.detector.Due(now); wanted && (recheck == 0 || recheck > wait) {
		recheck = max(wait, 1)
	}
	unseen := v.State == profile.Asking && v.Source == state.SourceReadline
	prompts := v.State == profile.Working && err == nil && mode.Canonical && mode.Echo && snap.CursorCol > 0
	if (unseen || prompts) && (recheck == 0 || recheck > echoBeat) {
		recheck = echoBeat
	}
	return recheck
}

// terminal returns the settings of the terminal as the detector takes them.
func (c *Console) terminal(mode tty.Mode) state.TTY {
	return state.TTY{Canonical: mode.Canonical, Echo: mode.Echo, ChildForeground: c.PID != 0 && mode.Foreground != c.PID}
}

// publish makes a new observation visible to everybody. The lock is held.
func (c *Console) publish(snap term.Snapshot, v state.Verdict) {
	if old := c.seen.Verdict; old.State != v.State || old.Kind != v.Kind || old.Source != v.Source {
		c.Log.Debug("the agent's state", "state", string(v.State), "kind", v.Kind, "source", v.Source, "rule", v.Rule)
	}
	close(c.seen.Changed)
	c.seen = Observation{Screen: snap, Verdict: v, Unlooked: c.detector.Unlooked(c.Now()), Moved: c.detector.Moved(), Changed: make(chan struct{})}
}

// Look returns the newest observation.
func (c *Console) Look() Observation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen
}

// poke makes observe look at the screen without delay.
func (c *Console) poke() {
	select {
	case c.urgent <- struct{}{}:
	default:
	}
}
