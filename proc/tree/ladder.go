package tree

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

// Stop ends the whole tree and returns when it is gone. It sends SIGTERM to the process group.
// In a terminal, 250 ms later, it sends SIGHUP to the processes that are still there, because
// that is how a terminal ends, and an interactive shell ignores everything else. After at most
// the grace it sends SIGKILL to the group and to every descendant that left the group; a grace
// of 0 means at once, without SIGTERM. Descendants outside the group get no signal before that:
// they are killed as soon as the group, or everything in the terminal, is gone. All calls of
// Stop and Kill share one such sequence. A process that does not end within 1.5 s even after
// SIGKILL is logged and given up.
func (t *Tree) Stop(grace time.Duration) {
	t.ladder.Do(func() { t.climb(grace) })
}

// Kill is Stop without a grace. If a Stop is in progress, its grace ends at once.
func (t *Tree) Kill() {
	t.rush.Do(func() { close(t.hurry) })
	t.Stop(0)
}

func (t *Tree) climb(grace time.Duration) {
	f := newFinder(t)
	// If SIGTERM were sent just before SIGKILL, it would only make orphans of processes that
	// can still be found through their parents.
	if grace > 0 && !t.hurried() {
		f.look() // while the parents still live
		f.signalGroup(syscall.SIGTERM)
		f.signalGroup(syscall.SIGCONT) // a stopped process handles no signal
		t.awaitEnd(f, grace)
	}
	left := f.kill(dieWait)
	if left > 0 {
		t.starter.Log.Warn("processes survive SIGKILL", "pid", t.pid, "left", left)
	}
	t.leaveBox()
}

func (t *Tree) hurried() bool {
	select {
	case <-t.hurry:
		return true
	default:
		return false
	}
}

// awaitEnd waits until the process and its group, or everything in its terminal, are gone, or
// until the grace is over.
func (t *Tree) awaitEnd(f *finder, grace time.Duration) {
	over := time.NewTimer(grace)
	defer over.Stop()
	hangUp := time.NewTimer(hangUpAfter)
	defer hangUp.Stop()
	if !t.terminal {
		hangUp.Stop()
	}
	exited, poll := t.exited, (<-chan time.Time)(nil)
	for pause := pollMin; ; pause = min(2*pause, pollMax) {
		select {
		case <-exited:
			exited = nil // from here on no event comes, so we poll
		case <-poll:
		case <-hangUp.C:
			f.hangUp()
			pause = pollMin
		case <-over.C:
			return
		case <-t.hurry:
			return
		}
		if exited != nil {
			continue
		}
		if !f.stands() {
			return
		}
		poll = time.After(pause)
	}
}

// awaitExit waits for the process until the deadline and reports whether it ended.
func (t *Tree) awaitExit(deadline time.Time) bool {
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case <-t.exited:
		return true
	case <-timer.C:
		return false
	}
}
