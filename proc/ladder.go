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

// hangUpAfter is how long what runs in a terminal may take after SIGTERM before
// it gets SIGHUP.
const hangUpAfter = 250 * time.Millisecond

// Stop ends the process and all that it started, and returns when they are
// gone: SIGTERM to the process group; in a terminal, 250 ms later, SIGHUP to what
// still stands there, for that is how a terminal ends, and an interactive shell
// takes no notice of anything else; after at most Grace SIGKILL to the group and
// to every descendant that left it. Descendants outside get no signal before that:
// they are killed as soon as the group, or all in the terminal, is gone. All
// calls, also of Kill, do this once together. A process that even SIGKILL cannot
// end within 1.5 s is logged and given up.
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
		c.awaitEnd(t)
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

// awaitEnd waits until the process and its group, or all in its terminal, are
// gone, or the grace is over.
func (c *Child) awaitEnd(t *tree) {
	over := time.NewTimer(c.grace)
	defer over.Stop()
	hangUp := time.NewTimer(hangUpAfter)
	defer hangUp.Stop()
	if !c.terminal {
		hangUp.Stop()
	}
	exited, poll := c.exited, (<-chan time.Time)(nil)
	for pause := pollMin; ; pause = min(2*pause, pollMax) {
		select {
		case <-exited:
			exited = nil // from here on there is no event to wait for
		case <-poll:
		case <-hangUp.C:
			t.hangUp()
			pause = pollMin
		case <-over.C:
			return
		case <-c.hurry:
			return
		}
		if exited != nil {
			continue
		}
		if !t.stands() {
			return
		}
		poll = time.After(pause)
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
