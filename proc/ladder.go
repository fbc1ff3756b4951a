package proc

import (
	"syscall"
	"time"
)

const (
	// dieWait bounds the wait for killed processes: a process in an uninterruptible
	// system call dies only when the call returns.
	dieWait = 1500 * time.Millisecond
	// pollMin and pollMax bound the pauses between two looks at the processes
	// that are not our children and so cannot be waited for.
	pollMin, pollMax = time.Millisecond, 50 * time.Millisecond
)

// hangUpAfter is how long processes in a terminal may take to end after SIGTERM before they get
// SIGHUP.
const hangUpAfter = 250 * time.Millisecond

// Stop ends the process and everything that it started, and returns when they are gone. It
// sends SIGTERM to the process group. In a terminal, 250 ms later, it sends SIGHUP to the
// processes that are still there, because that is how a terminal ends, and an interactive shell
// ignores everything else. After at most Grace it sends SIGKILL to the group and to every
// descendant that left the group. Descendants outside the group get no signal before that: they
// are killed as soon as the group, or everything in the terminal, is gone. All calls of Stop
// and Kill share one such sequence. A process that does not end within 1.5 s even after SIGKILL
// is logged and given up.
func (c *Child) Stop() Exit {
	c.ladder.Do(c.climb)
	return c.end()
}

// Kill is Stop without the grace. If a Stop is in progress, its grace ends at once.
func (c *Child) Kill() Exit {
	c.rush.Do(func() { close(c.hurry) })
	return c.Stop()
}

// end returns the exit after Stop or Kill has done its work.
func (c *Child) end() Exit {
	select {
	case <-c.exited:
		return c.exit
	default:
		return Exit{Signal: syscall.SIGKILL} // as it will end
	}
}

func (c *Child) climb() {
	t := newTree(c)
	// If SIGTERM were sent just before SIGKILL, it would only make orphans of processes that
	// can still be found through their parents.
	if c.grace > 0 && !c.hurried() {
		t.look() // while the parents still live
		t.signalGroup(syscall.SIGTERM)
		t.signalGroup(syscall.SIGCONT) // a stopped process handles no signal
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

// awaitEnd waits until the process and its group, or everything in its terminal, are gone, or
// until the grace is over.
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
			exited = nil // from here on no event comes, so we poll
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

// awaitExit waits for the process until the deadline and reports whether it ended.
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
