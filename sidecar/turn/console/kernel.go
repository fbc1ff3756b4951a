package console

import (
	"time"

	"github.com/a2a-sidecar/sidecar/proc/waits"
)

// Looks is how often it was looked at what the agent waits for, and how much of a processor's
// time that took.
type Looks struct {
	Times uint64
	Took  time.Duration
}

// unreader is a terminal that tells how much output waits to be read.
type unreader interface{ Unread() int }

// lookNow looks at what the program that has the terminal waits for if the detector wants to
// know that now, and reports whether it did. Only observe calls it, and it holds no lock
// meanwhile.
func (c *Console) lookNow() bool {
	c.mu.Lock()
	wait, wanted := c.detector.Due(c.Now())
	c.mu.Unlock()
	if !wanted || wait > 0 {
		return false
	}
	look := c.look()
	took := look.Cost
	if t, ok := c.TTY.(unreader); ok && look.Waits() && t.Unread() > 0 {
		look = waits.Look{Kind: waits.Busy, Doing: waits.Writes} // it has said more than is known yet
	}
	snap := c.screen.Snapshot()
	mode, err := c.TTY.Mode()
	now := c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looks.Times++
	c.looks.Took += took
	if err == nil {
		c.detector.Screen(snap, c.terminal(mode), now)
	}
	c.detector.Looked(look, took, now)
	return true
}

// look asks what the program waits for. That it cannot be seen is told once.
func (c *Console) look() waits.Look {
	look := c.waits()
	if look.Kind == waits.Hidden {
		c.hidden.Do(func() {
			c.Log.Info("what the agent waits for cannot be seen, so its prompt and silence tell when it has answered", "reason", look.Why)
		})
	}
	return look
}

// Sees reports whether it is looked at what the agent waits for.
func (c *Console) Sees() bool { return c.waits != nil && !c.Profile.TUI }

// Entering says that the Enter of a line is typed next.
func (c *Console) Entering() { c.baseline(false) }

// Replied says that the Enter of an answer to a question is typed next.
func (c *Console) Replied() { c.baseline(true) }

// baseline looks at what the program waits for before it gets something: that wait says
// nothing of what it does with it.
func (c *Console) baseline(reply bool) {
	look := waits.Look{Kind: waits.Hidden}
	if c.Sees() {
		look = c.look()
	}
	now := c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if reply {
		c.detector.Replied(look, now)
	} else {
		c.detector.Entered(look, now)
	}
	v, _ := c.detector.Verdict(now)
	c.publish(c.seen.Screen, v)
	c.poke()
}

// Drawn says whether the agent is taken for one that draws its screen: such an agent waits for
// keys while it works.
func (c *Console) Drawn(drawn bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.detector.Drawn(drawn)
}

// Looks returns how often it was looked at what the agent waits for.
func (c *Console) Looks() Looks {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.looks
}
