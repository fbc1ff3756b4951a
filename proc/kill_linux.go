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
	for _, p := range t.look() {
		if p.group == t.c.pid {
			p.signal(s)
		}
	}
}

// groupLives reports whether anybody is left in the process group.
func (t *tree) groupLives() bool {
	if unix.Kill(-t.c.pid, 0) == unix.ESRCH {
		return false
	}
	for _, p := range t.look() {
		if p.group == t.c.pid {
			return true
		}
	}
	return false
}

// kill ends all members and waits until they are gone, for the given time after
// the last one was signalled. It returns how many are left.
func (t *tree) kill(most time.Duration) int {
	for range killRounds {
		list := t.freeze()
		if len(list) == 0 {
			t.awaitGone(t.dead, time.Now().Add(most)) // and reaped
			break
		}
		for _, p := range list {
			p.signal(unix.SIGKILL)
		}
		if left := t.awaitGone(list, time.Now().Add(most)); left > 0 {
			return left
		}
	}
	if !t.c.awaitExit(time.Now().Add(most)) {
		return 1
	}
	return 0
}

// killRounds bounds the rounds of killing. Two find nobody any more; processes
// that somebody else keeps starting with our marker must not hold us for ever.
const killRounds = 20

// freeze stops all members and returns them: who is stopped starts nothing, so
// the list is complete and killing it leaves no orphan behind. A stop signal
// does not interrupt a fork, so the list is complete only when a look finds
// nobody new after one that has found everybody stopped.
func (t *tree) freeze() (list []process) {
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
