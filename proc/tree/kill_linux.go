package tree

import (
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
)

// signalGroup signals the process group. If the pid may be reused at any time, it signals the
// members one by one.
func (f *finder) signalGroup(s unix.Signal) {
	if f.t.SignalGroup(s) != os.ErrProcessDone {
		return // the only other possible error is that the group just ended
	}
	if f.blind() {
		f.signalOrphanedGroup(s)
		return
	}
	for _, p := range f.look() {
		if p.Group == f.t.pid {
			p.Signal(s)
		}
	}
}

// signalOrphanedGroup signals the group by its number after its leader was waited for. If no
// process can be seen, nothing more can be done. The number cannot belong to another group as
// long as the group has always had members since then.
func (f *finder) signalOrphanedGroup(s unix.Signal) {
	if f.t.leftGroup() {
		_ = unix.Kill(-f.t.pid, s) // an error means that the group is empty
	}
}

// hangUp signals the end of the terminal to all processes in its session, as the kernel does
// when a terminal is closed.
func (f *finder) hangUp() {
	f.signalGroup(unix.SIGHUP)
	for _, p := range f.look() {
		if p.Session == f.t.pid && p.Group != f.t.pid {
			p.Signal(unix.SIGHUP)
			p.Signal(unix.SIGCONT)
		}
	}
	f.signalGroup(unix.SIGCONT)
}

// stands reports whether a process that may end by itself is left in the process group or in
// the terminal.
func (f *finder) stands() bool {
	terminal := f.t.terminal
	if !terminal && unix.Kill(-f.t.pid, 0) == unix.ESRCH {
		return false
	}
	if f.blind() {
		return f.t.leftGroup() && unix.Kill(-f.t.pid, 0) != unix.ESRCH
	}
	for _, p := range f.look() {
		if p.Group == f.t.pid || terminal && p.Session == f.t.pid {
			return true
		}
	}
	return false
}

// kill kills all members and waits until they are gone, for at most the given time after the
// last one was signalled. It returns how many are left.
func (f *finder) kill(most time.Duration) int {
	var empty emptiness
	f.t.killCgroup()
	for round := range killRounds {
		// The first chase is only for a tree with a tag: its descendants have the tag too, so
		// none of them is lost.
		chased := (round > 0 || f.t.ticket.Tag != 0) && f.chase(time.Now().Add(most))
		list := f.freeze()
		f.killKnown()
		for _, p := range list {
			p.Signal(unix.SIGKILL)
		}
		if left := f.awaitGone(list, time.Now().Add(most)); left > 0 {
			return left
		}
		if chased || len(list) > 0 {
			empty = emptiness{}
		} else if f.t.cgroupEmpty() || empty.believed() {
			break
		}
	}
	f.awaitGone(f.dead, time.Now().Add(most)) // and until they are reaped
	if !f.t.awaitExit(time.Now().Add(most)) {
		return 1
	}
	f.awaitOrphanedGroup(time.Now().Add(most))
	return 0
}

// awaitOrphanedGroup waits until the group has no members that could be signalled. It does so
// only where no process can be seen.
func (f *finder) awaitOrphanedGroup(deadline time.Time) {
	for pause := pollMin; f.blind() && f.stands() && time.Now().Before(deadline); pause = min(2*pause, pollMax) {
		<-time.After(pause)
	}
}

// killKnown kills what it can reach without seeing processes: the process and its group, by
// number, and all in its control group.
func (f *finder) killKnown() {
	f.t.killCgroup()
	_ = f.t.process.Kill() // an error means that it has ended
	if f.t.SignalGroup(unix.SIGKILL) == os.ErrProcessDone && f.blind() {
		f.signalOrphanedGroup(unix.SIGKILL)
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
func (f *finder) freeze() (list []procfs.Process) {
	f.signalGroup(unix.SIGSTOP)
	known := make(map[int]uint64)
	for still, round := false, 0; round < freezeRounds; round++ {
		list = f.look()
		news := false
		for _, p := range list {
			if start, ok := known[p.PID]; !ok || start != p.Start {
				known[p.PID], news = p.Start, true
				p.Signal(unix.SIGSTOP)
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

func allStopped(list []procfs.Process) bool {
	for _, p := range list {
		if p.State != 'T' && p.State != 't' {
			return false
		}
	}
	return true
}

// awaitGone waits until only zombies that we do not have to reap are left of the list. It
// returns how many others are left at the deadline.
func (f *finder) awaitGone(list []procfs.Process, deadline time.Time) int {
	self := os.Getpid()
	for pause := pollMin; ; pause = min(2*pause, pollMax) {
		left := list[:0]
		for _, p := range list {
			now, ok := p.Now()
			if ok && (!now.Zombie() || f.t.starter.Reaps && now.PPID == self) {
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
