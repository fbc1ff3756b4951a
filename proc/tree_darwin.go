package proc

import (
	"os"
	"syscall"
	"time"
)

// tree is the process group: darwin has no /proc to find more.
type tree struct{ c *Child }

func newTree(c *Child) *tree { return &tree{c: c} }

func (t *tree) look() {}

// signalGroup signals the group, also after its leader has ended: members keep
// the number from being used again.
func (t *tree) signalGroup(s syscall.Signal) {
	if t.c.signalGroup(s) == os.ErrProcessDone {
		_ = syscall.Kill(-t.c.pid, s) // nobody left is as good
	}
}

// groupLives reports whether anybody but a zombie is left in the group.
func (t *tree) groupLives() bool { return syscall.Kill(-t.c.pid, 0) == nil }

// hangUp signals the end of the terminal.
func (t *tree) hangUp() { t.signalGroup(syscall.SIGHUP) }

// stands reports whether anybody is left who may end by himself.
func (t *tree) stands() bool { return t.groupLives() }

// kill ends the group and waits until it is empty, at most for the given time.
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

// Background is 1 when the process group is not empty after the process has
// ended; darwin does not tell how many there are.
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
