package proc

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// signalGroup signals the process group. If the pid may be reused at any time, it signals the
// members one by one.
func (t *tree) signalGroup(s unix.Signal) {
	if t.c.signalGroup(s) != os.ErrProcessDone {
		return // the only other possible error is that the group just ended
	}
	if t.blind() {
		t.signalOrphanedGroup(s)
		return
	}
	for _, p := range t.look() {
		if p.group == t.c.pid {
			p.signal(s)
		}
	}
}

// signalOrphanedGroup signals the group by its number after its leader was waited for. If no
// process can be seen, nothing more can be done. The number cannot belong to another group as
// long as the group has always had members since then.
func (t *tree) signalOrphanedGroup(s unix.Signal) {
	if t.c.leftGroup() {
		_ = unix.Kill(-t.c.pid, s) // an error means that the group is empty
	}
}

// hangUp signals the end of the terminal to all processes in its session, as the kernel does
// when a terminal is closed.
func (t *tree) hangUp() {
	t.signalGroup(unix.SIGHUP)
	for _, p := range t.look() {
		if p.session == t.c.pid && p.group != t.c.pid {
			p.signal(unix.SIGHUP)
			p.signal(unix.SIGCONT)
		}
	}
	t.signalGroup(unix.SIGCONT)
}

// stands reports whether a process that may end by itself is left in the process group or in
// the terminal.
func (t *tree) stands() bool {
	terminal := t.c.terminal
	if !terminal && unix.Kill(-t.c.pid, 0) == unix.ESRCH {
		return false
	}
	if t.blind() {
		return t.c.leftGroup() && unix.Kill(-t.c.pid, 0) != unix.ESRCH
	}
	for _, p := range t.look() {
		if p.group == t.c.pid || terminal && p.session == t.c.pid {
			return true
		}
	}
	return false
}

// kill kills all members and waits until they are gone, for at most the given time after the
// last one was signalled. It returns how many are left.
func (t *tree) kill(most time.Duration) int {
	var empty emptiness
	t.c.killCgroup()
	for round := range killRounds {
		// The first chase is only for a child with a tag: its descendants have the tag too, so
		// none of them is lost.
		chased := (round > 0 || t.c.ticket.tag != 0) && t.chase(time.Now().Add(most))
		list := t.freeze()
		t.killKnown()
		for _, p := range list {
			p.signal(unix.SIGKILL)
		}
		if left := t.awaitGone(list, time.Now().Add(most)); left > 0 {
			return left
		}
		if chased || len(list) > 0 {
			empty = emptiness{}
		} else if t.c.cgroupEmpty() || empty.believed() {
			break
		}
	}
	t.awaitGone(t.dead, time.Now().Add(most)) // and until they are reaped
	if !t.c.awaitExit(time.Now().Add(most)) {
		return 1
	}
	t.awaitOrphanedGroup(time.Now().Add(most))
	return 0
}

// awaitOrphanedGroup waits until the group has no members that could be signalled. It does so
// only where no process can be seen.
func (t *tree) awaitOrphanedGroup(deadline time.Time) {
	for pause := pollMin; t.blind() && t.stands() && time.Now().Before(deadline); pause = min(2*pause, pollMax) {
		<-time.After(pause)
	}
}

// killKnown kills what it can reach without seeing processes: the process and its group, by
// number, and all in its control group.
func (t *tree) killKnown() {
	t.c.killCgroup()
	_ = t.c.process.Kill() // an error means that it has ended
	if t.c.signalGroup(unix.SIGKILL) == os.ErrProcessDone && t.blind() {
		t.signalOrphanedGroup(unix.SIGKILL)
	}
}

// killRounds bounds the rounds of killing, so that kill ends even if another program keeps
// starting processes with our marker.
const killRounds = 20

// freeze stops all members (SIGSTOP) and returns them. A stopped process starts nothing, so the
// list is complete, and killing it leaves no orphan behind. A stop signal does not interrupt a
// fork, so the list is complete only if one look finds every member stopped and the next look
// finds no new one. The group is stopped before the first look, because a look takes longer the
// more processes they start.
func (t *tree) freeze() (list []process) {
	t.signalGroup(unix.SIGSTOP)
	known := make(map[int]uint64)
	for still, round := false, 0; round < freezeRounds; round++ {
		list = t.look()
		news := false
		for _, p := range list {
			if start, ok := known[p.pid]; !ok || start != p.start {
				known[p.pid], news = p.start, true
				p.signal(unix.SIGSTOP)
			}
		}
		if still && !news || len(list) == 0 {
			break
		}
		if still = allStopped(list); !still {
			<-time.After(freezePause)
		}
	}
	return list
}

// freezeRounds and freezePause bound the wait for members that do not stop because they are in
// an uninterruptible system call.
const (
	freezeRounds = 100
	freezePause  = time.Millisecond
)

func allStopped(list []process) bool {
	for _, p := range list {
		if p.state != 'T' && p.state != 't' {
			return false
		}
	}
	return true
}

// awaitGone waits until only zombies that we do not have to reap are left of the list. It
// returns how many others are left at the deadline.
func (t *tree) awaitGone(list []process, deadline time.Time) int {
	self := os.Getpid()
	for pause := pollMin; ; pause = min(2*pause, pollMax) {
		left := list[:0]
		for _, p := range list {
			now, ok := p.there()
			if ok && (!now.zombie() || t.c.host.reaps && now.ppid == self) {
				left = append(left, p)
			}
		}
		list = left
		if len(list) == 0 || time.Now().After(deadline) {
			return len(list)
		}
		<-time.After(pause)
	}
}
