package console

import (
	"time"

	"github.com/a2a-sidecar/sidecar/proc/waits"
)

// Looks counts the looks at what the agent waits for.
type Looks struct {
	Times uint64
	Took  time.Duration // of processor time
}

// unreader is a terminal that tells how many bytes of output wait to be read.
type unreader interface{ Unread() int }

// lookNow looks at what the program that has the terminal waits for if a look is due, and reports
// whether it did. Only observe calls it. It holds no lock during the look.
func (c *Console) lookNow() bool {
	c.mu.Lock()
	wait, wanted := c.detector.Due(c.Now())
	c.mu.Unlock()
	if !wanted || wait > 0 {
		return false
	}
	look := c.look()
	if t, ok := c.TTY.(unreader); ok && look.Waits() && t.Unread() > 0 {
		// The program has printed more than the console has read.
		look = waits.Look{Kind: waits.Busy, Doing: waits.Writes, Cost: look.Cost}
	}
	snap := c.screen.Snapshot()
	mode, err := c.TTY.Mode()
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	c.count(look)
	c.show(snap, mode, err, now)
	c.detector.Looked(look, now)
	return true
}

// look returns what the program waits for. It logs once that this cannot be seen.
func (c *Console) look() waits.Look {
	look := c.waits.look()
	if look.Kind == waits.Hidden {
		told := &c.hidden
		if look.Why == lookHangs {
			told = &c.hangs
		}
		told.Do(func() {
			c.Log.Info("cannot see what the agent waits for; its prompt or silence will end answers", "reason", look.Why)
		})
	}
	return look
}

// count adds a look to Looks. The lock is held.
func (c *Console) count(l waits.Look) {
	c.looks.Times++
	c.looks.Took += l.Cost
}

// LooksAtKernel reports whether the console asks the kernel what the agent waits for.
func (c *Console) LooksAtKernel() bool { return c.waits != nil && !c.Profile.TUI }

// Entering says that the Enter of a line is typed next.
func (c *Console) Entering() { c.recordWait(false) }

// Replied says that the Enter of an answer to a question is typed next.
func (c *Console) Replied() { c.recordWait(true) }

// recordWait looks at what the program waits for before an Enter is typed. As long as that wait
// goes on, it says nothing of what the program does with the line.
func (c *Console) recordWait(reply bool) {
	look, looks := waits.Look{Kind: waits.Hidden}, c.LooksAtKernel()
	if looks {
		look = c.look()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	if looks {
		c.count(look)
	}
	if reply {
		c.detector.Replied(look, now)
	} else {
		c.detector.Entered(look, now)
	}
	c.judge(now)
	c.recheck()
}

// SetDrawing says whether the agent is taken for one that draws its screen. Such an agent waits for
// keys while it works.
func (c *Console) SetDrawing(draws bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.detector.SetDrawing(draws)
}

// Looks returns how many looks were taken, and what they have cost.
func (c *Console) Looks() Looks {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.looks
}
