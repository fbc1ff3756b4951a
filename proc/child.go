package proc

import (
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/tree"
)

// Child is a process that Start started. Its methods may be called from many goroutines, before
// and after it ends. Output may be called once.
type Child struct {
	host     *Host
	io       *stdio
	tree     *tree.Tree
	terminal bool // it has a controlling terminal
	grace    time.Duration

	exit    Exit // set before Exited is closed
	closing sync.Once
	silent  chan struct{} // closed when standard output has ended
}

// PID returns the process's pid, which is also the number of its group and session. Once Exited
// is closed, the number means nothing.
func (c *Child) PID() int { return c.tree.PID() }

// Stdin returns the pipe to standard input, nil if Command.Terminal or Command.Stdin was given.
// A write blocks while the pipe is full (deadlines work). The error is EPIPE when no process
// can read the pipe any more, and os.ErrClosed after Output.
func (c *Child) Stdin() *os.File { return c.io.stdin }

// Exited returns a channel that is closed when the process has ended and was waited for. Some
// of its output may not have been read yet.
func (c *Child) Exited() <-chan struct{} { return c.tree.Exited() }

// Exit returns how the process ended, or the zero Exit until Exited is closed.
func (c *Child) Exit() Exit {
	select {
	case <-c.Exited():
		return c.exit
	default:
		return Exit{}
	}
}

// Silent returns a channel that is closed when Output has read standard output to its end. The
// process may have closed it and live on.
func (c *Child) Silent() <-chan struct{} { return c.silent }

// Signal sends a signal to the process. After the process has ended, the error is
// os.ErrProcessDone.
func (c *Child) Signal(sig os.Signal) error { return c.tree.Signal(sig) }

// SignalGroup sends a signal to the process group. If the process has ended, the error is
// os.ErrProcessDone; the group may still have members, which Stop ends.
func (c *Child) SignalGroup(sig os.Signal) error {
	s, ok := sig.(syscall.Signal)
	if !ok {
		return syscall.EINVAL
	}
	return c.tree.SignalGroup(s)
}

// Stop ends the process and everything that it started, and returns when they are gone: SIGTERM
// first, and after at most Grace SIGKILL. [tree.Tree.Stop] says what gets which signal when. All
// calls of Stop and Kill share one such sequence.
func (c *Child) Stop() Exit {
	c.tree.Stop(c.grace)
	return c.end()
}

// Kill is Stop without the grace. If a Stop is in progress, its grace ends at once.
func (c *Child) Kill() Exit {
	c.tree.Kill()
	return c.end()
}

// end returns the exit after Stop or Kill has done its work.
func (c *Child) end() Exit {
	select {
	case <-c.Exited():
		return c.exit
	default:
		return Exit{Signal: syscall.SIGKILL} // as it will end
	}
}

// Background counts the living processes that the child started, not including the child. If
// there are none, the call costs about 20 µs. Darwin does not tell how many there are: the
// count is 1 if the process has ended and its group is not empty.
func (c *Child) Background() int { return c.tree.Background() }

// Owns reports whether a process is the child's own: the child itself, a descendant of it, or
// a descendant of an orphan that came to us and carries the child's marker. If this cannot be
// known, because there is no /proc or on darwin, Owns reports true.
func (c *Child) Owns(l tree.Lineage) bool { return c.tree.Owns(l) }

// wait is the only waiter of the process. It takes the status at once, even if output is left
// to read.
func (c *Child) wait() { c.tree.Wait(c.ended) }

func (c *Child) ended(state *os.ProcessState, err error) {
	if err != nil {
		// Somebody else in this program waited for it.
		c.host.log.Error("exit status lost", "pid", c.PID(), "error", err)
		c.exit = Exit{Code: 255}
	} else {
		c.exit = exitOf(state)
	}
	c.wake()
	c.host.remove(c)
}

// wake ends reads that wait for output; see Drain.
func (c *Child) wake() {
	for _, f := range []*os.File{c.io.stdout, c.io.stderr} {
		if f != nil {
			_ = f.SetReadDeadline(time.Unix(1, 0))
		}
	}
}

// closeFiles closes our ends of the pipes. A write or read in progress returns.
func (c *Child) closeFiles() { c.closing.Do(c.io.closeOurs) }
