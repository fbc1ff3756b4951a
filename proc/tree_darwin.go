package proc

import (
	"os"
	"syscall"
	"time"
)

// tree is the process group: without /proc, darwin cannot find more.
type tree struct{ c *Child }

func newTree(c *Child) *tree { return &tree{c: c} }

func (t *tree) look() {}

// signalGroup signals the group, even after its leader has ended: as long as it has members,
// its number is not reused.
func (t *tree) signalGroup(s syscall.Signal) {
	if t.c.signalGroup(s) == os.ErrProcessDone {
		_ = syscall.Kill(-t.c.pid, s) // an error means that the group is empty
	}
}

// groupLives reports whether the group has a member that is not a zombie.
func (t *tree) groupLives() bool { return syscall.Kill(-t.c.pid, 0) == nil }

// hangUp signals the end of the terminal.
func (t *tree) hangUp() { t.signalGroup(syscall.SIGHUP) }

// stands reports whether a process that may end by itself is left.
func (t *tree) stands() bool { return t.groupLives() }

// kill kills the group and waits until it is empty, for at most the given time.
func (t *tree) kill(most time.Duration) int {
	deadline := time.Now().Add(most)
	t.signalGroup(syscall.SIGKILL)
	for pause := pollMin; t.groupLives(); pause = min(2*pause, pollMax) {
		if time.Now().After(deadline) {
			return 1
		}
		<-time.After(pause)
	}
	if !t.c.awaitExit(deadline) {
		return 1
	}
	return 0
}

// Background returns 1 if the process has ended and its group is not empty, otherwise 0; darwin
// does not tell how many processes there are.
func (c *Child) Background() int {
	select {
	case <-c.exited:
	default:
		return 0
	}
	if newTree(c).groupLives() {
		return 1
	}
	return 0
}
