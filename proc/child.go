package proc

import (
	"os"
	"sync"
	"syscall"
	"time"
)

// Child is a process that Start started. Its methods may be called from many goroutines, before
// and after it ends. Output may be called once.
type Child struct {
	host     *Host
	io       *stdio
	terminal bool // it has a controlling terminal
	grace    time.Duration
	marker   string
	user     *User

	process *os.Process
	pid     int
	ticket  *ticket
	born    uint64 // the clock before the fork

	mu       sync.Mutex
	reaped   bool    // the pid is no longer ours
	reapedAt uint64  // the clock after the wait
	orphaned bool    // the group still had members when the process was reaped
	cgroup   *cgroup // nil: there is none, or it was found empty and removed
	grouped  bool    // there is or was a control group

	exit    Exit // set before exited is closed
	exited  chan struct{}
	closing sync.Once

	ladder sync.Once
	hurry  chan struct{} // closed to end the grace early
	rush   sync.Once
}

func newChild(h *Host, c *Command, io *stdio) *Child {
	return &Child{
		host: h, io: io, terminal: c.Terminal != nil, grace: c.Grace, marker: c.Marker, user: c.User,
		exited: make(chan struct{}), hurry: make(chan struct{}),
	}
}

// PID returns the process's pid, which is also the number of its group and session. Once Exited
// is closed, the number means nothing.
func (c *Child) PID() int { return c.pid }

// Stdin returns the pipe to standard input, nil if Command.Terminal or Command.Stdin was given.
// A write blocks while the pipe is full (deadlines work). The error is EPIPE when no process
// can read the pipe any more, and os.ErrClosed after Output.
func (c *Child) Stdin() *os.File { return c.io.stdin }

// Exited returns a channel that is closed when the process has ended and was waited for. Some
// of its output may not have been read yet.
func (c *Child) Exited() <-chan struct{} { return c.exited }

// Exit returns how the process ended, or the zero Exit until Exited is closed.
func (c *Child) Exit() Exit {
	select {
	case <-c.exited:
		return c.exit
	default:
		return Exit{}
	}
}

// Signal sends a signal to the process. After the process has ended, the error is
// os.ErrProcessDone.
func (c *Child) Signal(sig os.Signal) error { return c.process.Signal(sig) }

// SignalGroup sends a signal to the process group. If the process has ended, the error is
// os.ErrProcessDone; the group may still have members, which Stop ends.
func (c *Child) SignalGroup(sig os.Signal) error {
	s, ok := sig.(syscall.Signal)
	if !ok {
		return syscall.EINVAL
	}
	return c.signalGroup(s)
}

// signalGroup holds the lock while it sends the signal, so that the pid cannot be reused
// meanwhile.
func (c *Child) signalGroup(s syscall.Signal) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reaped {
		return os.ErrProcessDone
	}
	return os.NewSyscallError("kill", syscall.Kill(-c.pid, s))
}

// wait is the only waiter of the process. It takes the status at once, even if output is left
// to read, so that the zombie hides no orphan from the reaper.
func (c *Child) wait() {
	state, err := c.reap()
	c.ticket.release()
	if err != nil {
		// Somebody else in this program waited for it.
		c.host.log.Error("exit status lost", "pid", c.pid, "error", err)
		c.exit = Exit{Code: 255}
	} else {
		c.exit = exitOf(state)
	}
	c.wake()
	c.host.remove(c)
	close(c.exited)
	c.leaveCgroup()
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
