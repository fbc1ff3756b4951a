package proc

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// signalGroup signals the process group, member by member when the number may
// be given away at any time.
func (t *tree) signalGroup(s unix.Signal) {
	if t.c.signalGroup(s) != os.ErrProcessDone {
		return // what else can be wrong is that it just ended
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

// signalOrphanedGroup signals the group by its number after its leader was waited
// for: where nobody can be seen this is all that can be done. The number cannot be
// another's as long as the group has had members ever since.
func (t *tree) signalOrphanedGroup(s unix.Signal) {
	if t.c.leftGroup() {
		_ = unix.Kill(-t.c.pid, s) // nobody left is as good
	}
}

// hangUp signals the end of the terminal, as the kernel does when one is closed:
// to all in its session.
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

// stands reports whether anybody is left who may end by himself: in the process
// group, or in the terminal.
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

// kill ends all members and waits until they are gone, for the given time after
// the last one was signalled. It returns how many are left.
func (t *tree) kill(most time.Duration) int {
	var empty emptiness
	t.c.killCgroup()
	for round := range killRounds {
		// At first only who has the tag: so have his children, and none is lost.
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
	t.awaitGone(t.dead, time.Now().Add(most)) // and reaped
	if !t.c.awaitExit(time.Now().Add(most)) {
		return 1
	}
	t.awaitOrphanedGroup(time.Now().Add(most))
	return 0
}

// awaitOrphanedGroup waits, where nobody can be seen, until the group has no
// members that could be signalled.
func (t *tree) awaitOrphanedGroup(deadline time.Time) {
	for pause := pollMin; t.blind() && t.stands() && time.Now().Before(deadline); pause = min(2*pause, pollMax) {
		<-time.After(pause)
	}
}

// killKnown kills what is known by its number, whatever can be seen: the process
// and its group, and all in its control group.
func (t *tree) killKnown() {
	t.c.killCgroup()
	_ = t.c.process.Kill() // one that has ended needs none
	if t.c.signalGroup(unix.SIGKILL) == os.ErrProcessDone && t.blind() {
		t.signalOrphanedGroup(unix.SIGKILL)
	}
}

// killRounds bounds the rounds of killing: processes that somebody else keeps
// starting with our marker must not hold us for ever.
const killRounds = 20

// freeze stops all members and returns them: who is stopped starts nothing, so
// the list is complete and killing it leaves no orphan behind. A stop signal
// does not interrupt a fork, so the list is complete only when a look finds
// nobody new after one that has found everybody stopped. The group is stopped
// before the first look, which takes the longer the more they start.
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

// freezeRounds and freezePause bound the wait for members that do not stop,
// because they are in an uninterruptible system call.
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

// awaitGone waits until nothing of the list is left but zombies that are not
// ours to reap.
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
