package proc

import (
	"syscall"
	"time"
)

const (
	// dieWait bounds the wait for killed processes: one in an uninterruptible
	// system call dies when it returns.
	dieWait = 1500 * time.Millisecond
	// pollMin and pollMax bound the pauses between two looks at the processes
	// that are not our children and so cannot be waited for.
	pollMin, pollMax = time.Millisecond, 50 * time.Millisecond
)

// Stop ends the process and all that it started, and returns when they are
// gone: SIGTERM to the process group, after at most Grace SIGKILL to the group
// and to every descendant that left it. Descendants outside the group get no
// SIGTERM; they are killed as soon as the group is empty. All calls, also of
// Kill, do this once together. A process that even SIGKILL cannot end within
// 1.5 s is logged and given up.
func (c *Child) Stop() Exit {
	c.ladder.Do(c.climb)
	return c.end()
}

// Kill is Stop without, or from now on without, the grace.
func (c *Child) Kill() Exit {
	c.rush.Do(func() { close(c.hurry) })
	return c.Stop()
}

// end is the exit after the ladder.
func (c *Child) end() Exit {
	select {
	case <-c.exited:
		return c.exit
	default:
		return Exit{Signal: syscall.SIGKILL} // as it will be
	}
}

func (c *Child) climb() {
	t := newTree(c)
	// A SIGTERM just before the SIGKILL would only make orphans of processes
	// that could still be found by their parents.
	if c.grace > 0 && !c.hurried() {
		t.look() // while the family hangs together
		t.signalGroup(syscall.SIGTERM)
		t.signalGroup(syscall.SIGCONT) // who is stopped handles nothing
		c.awaitGroup(t)
	}
	left := t.kill(dieWait)
	if left > 0 {
		c.host.log.Warn("processes survive SIGKILL", "pid", c.pid, "left", left)
	}
}

func (c *Child) hurried() bool {
	select {
	case <-c.hurry:
		return true
	default:
		return false
	}
}

// awaitGroup waits until the process and its group are gone, or the grace is
// over.
func (c *Child) awaitGroup(t *tree) {
	over := time.NewTimer(c.grace)
	defer over.Stop()
	select {
	case <-c.exited:
	case <-over.C:
		return
	case <-c.hurry:
		return
	}
	for pause := pollMin; t.groupLives(); pause = min(2*pause, pollMax) {
		select {
		case <-time.After(pause):
		case <-over.C:
			return
		case <-c.hurry:
			return
		}
	}
}

// awaitExit waits for the process until the deadline and says whether it ended.
func (c *Child) awaitExit(deadline time.Time) bool {
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case <-c.exited:
		return true
	case <-timer.C:
		return false
	}
}
