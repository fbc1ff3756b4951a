package console

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// beat is the shortest time between two evaluations of a screen that keeps changing. A
// signal of the agent (a mark, a report) is evaluated without delay.
const beat = 5 * time.Millisecond

// echoBeat is how often the console asks the terminal for its echo. It does so while the program
// awaits a line without echo, whose end is when the echo is back, and while the cursor of a program
// that reads lines is after a text, when the echo may go. Nothing else reports that.
const echoBeat = 100 * time.Millisecond

// Observation is what the screen showed and what the agent did at one moment.
type Observation struct {
	Screen  term.Snapshot
	Verdict state.Verdict
	// Unlooked reports that a look at what the program waits for is still to come. What its last
	// row looks like must not be believed before.
	Unlooked bool
	// Moved is when the screen last changed, not counting rows that change all the time, such as
	// a clock.
	Moved   time.Time
	Changed chan struct{} // closed at the next change
}

// observe evaluates the screen whenever it changes, and when the passing of time alone may
// change what it means.
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

// evaluate shows the screen to the detector and wakes the callers that wait. It returns how
// long to wait before it must be called again if nothing changes; 0 means never. Many
// goroutines may call it.
func (c *Console) evaluate() time.Duration {
	snap := c.screen.Snapshot()
	mode, err := c.TTY.Mode()
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	c.show(snap, mode, err, now)
	v, recheck := c.judge(now)
	if wait, wanted := c.detector.Due(now); wanted && (recheck == 0 || recheck > wait) {
		recheck = max(wait, 1)
	}
	unseen := v.State == profile.Asking && v.Source == state.SourceReadline
	prompts := v.State == profile.Working && err == nil && mode.Canonical && mode.Echo && c.newest.CursorCol > 0
	if (unseen || prompts) && (recheck == 0 || recheck > echoBeat) {
		recheck = echoBeat
	}
	return recheck
}

// terminal returns the settings of the terminal as the detector takes them.
func (c *Console) terminal(mode tty.Mode) state.TTY {
	return state.TTY{Canonical: mode.Canonical, Echo: mode.Echo, ChildForeground: c.PID != 0 && mode.Foreground != c.PID}
}

// show shows a screen to the detector, unless another goroutine has shown it a newer one in the
// meantime. If err is not nil, the settings of the terminal are not known, and the screen is only
// published. The lock is held.
func (c *Console) show(snap term.Snapshot, mode tty.Mode, err error, now time.Time) {
	if snap.Generation < c.newest.Generation {
		return
	}
	if c.newest = snap; err == nil {
		c.detector.Screen(snap, c.terminal(mode), now)
	}
}

// judge asks the detector what the agent does, and publishes that with the newest screen. It
// returns how long to wait before asking again; 0 means that only a new event can change the
// verdict. The lock is held.
func (c *Console) judge(now time.Time) (v state.Verdict, recheck time.Duration) {
	v, recheck = c.detector.Verdict(now)
	if old := c.seen.Verdict; old.State != v.State || old.Kind != v.Kind || old.Source != v.Source {
		c.Log.Debug("the agent's state", "state", string(v.State), "kind", v.Kind, "source", v.Source, "rule", v.Rule)
	}
	close(c.seen.Changed)
	c.seen = Observation{Screen: c.newest, Verdict: v, Unlooked: c.detector.Unlooked(now), Moved: c.detector.Moved(), Changed: make(chan struct{})}
	return v, recheck
}

// Look returns the newest observation.
func (c *Console) Look() Observation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen
}

// recheck makes observe evaluate the screen without delay.
func (c *Console) recheck() {
	select {
	case c.urgent <- struct{}{}:
	default:
	}
}
