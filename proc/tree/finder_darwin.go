package tree

import (
	"os"
	"syscall"
	"time"
)

// finder finds the process group: without /proc, darwin cannot find more.
type finder struct{ t *Tree }

func newFinder(t *Tree) *finder { return &finder{t: t} }

func (f *finder) look() {}

// signalGroup signals the group, even after its leader has ended: as long as it has members,
// its number is not reused.
func (f *finder) signalGroup(s syscall.Signal) {
	if f.t.SignalGroup(s) == os.ErrProcessDone {
		_ = syscall.Kill(-f.t.pid, s) // an error means that the group is empty
	}
}

// groupLives reports whether the group has a member that is not a zombie.
func (f *finder) groupLives() bool { return syscall.Kill(-f.t.pid, 0) == nil }

// hangUp signals the end of the terminal.
func (f *finder) hangUp() { f.signalGroup(syscall.SIGHUP) }

// stands reports whether a process that may end by itself is left.
func (f *finder) stands() bool { return f.groupLives() }

// kill kills the group and waits until it is empty, for at most the given time.
func (f *finder) kill(most time.Duration) int {
	deadline := time.Now().Add(most)
	f.signalGroup(syscall.SIGKILL)
	for pause := pollMin; f.groupLives(); pause = min(2*pause, pollMax) {
		if time.Now().After(deadline) {
			return 1
		}
		<-time.After(pause)
	}
	if !f.t.awaitExit(deadline) {
		return 1
	}
	return 0
}

// Background returns 1 if the process has ended and its group is not empty, otherwise 0; darwin
// does not tell how many processes there are.
func (t *Tree) Background() int {
	select {
	case <-t.exited:
	default:
		return 0
	}
	if newFinder(t).groupLives() {
		return 1
	}
	return 0
}
