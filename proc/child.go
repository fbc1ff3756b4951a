package proc

import (
	"os"
	"sync"
	"syscall"
	"time"
)

// Child is a process that Start started. Its methods may be called from many
// goroutines, before and after its end; Output once.
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
	born    uint64 // clock before the fork

	mu       sync.Mutex
	reaped   bool    // the pid is no longer ours
	reapedAt uint64  // clock after the wait
	orphaned bool    // the group had members left then
	cgroup   *cgroup // nil: there is none, or it has become empty
	grouped  bool    // there is or was one

	exit    Exit // before exited is closed
	exited  chan struct{}
	closing sync.Once

	ladder sync.Once
	hurry  chan struct{} // closed to cut the grace short
	rush   sync.Once
}

func newChild(h *Host, c *Command, io *stdio) *Child {
	return &Child{
		host: h, io: io, terminal: c.Terminal != nil, grace: c.Grace, marker: c.Marker, user: c.User,
		exited: make(chan struct{}), hurry: make(chan struct{}),
	}
}

// PID is the process's number, which is also that of its group and session. It
// says nothing any more once Exited is closed.
func (c *Child) PID() int { return c.pid }

// Stdin is the pipe to standard input, nil when Command.Terminal or Command.Stdin
// was given. A write waits while the pipe is full (deadlines work); when nobody
// can read it any more the error is EPIPE, and after Output os.ErrClosed.
func (c *Child) Stdin() *os.File { return c.io.stdin }

// Exited is closed when the process has ended and was waited for. Its output
// may still be on the way.
func (c *Child) Exited() <-chan struct{} { return c.exited }

// Exit says how the process ended, the zero Exit before Exited is closed.
func (c *Child) Exit() Exit {
	select {
	case <-c.exited:
		return c.exit
	default:
		return Exit{}
	}
}

// Signal sends a signal to the process. After its end the error is
// os.ErrProcessDone.
func (c *Child) Signal(sig os.Signal) error { return c.process.Signal(sig) }

// SignalGroup sends a signal to the process group. When the process has ended
// the error is os.ErrProcessDone; the group may have members left, which are
// for Stop to end.
func (c *Child) SignalGroup(sig os.Signal) error {
	s, ok := sig.(syscall.Signal)
	if !ok {
		return syscall.EINVAL
	}
	return c.signalGroup(s)
}

// signalGroup holds the lock so that the pid cannot be given away in between.
func (c *Child) signalGroup(s syscall.Signal) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reaped {
		return os.ErrProcessDone
	}
	return os.NewSyscallError("kill", syscall.Kill(-c.pid, s))
}

// wait is the process's one waiter. It takes the status at once, whatever is
// left to read, so that the zombie hides no orphan from the reaper.
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

// wake ends reads that wait for output, see Drain.
func (c *Child) wake() {
	for _, f := range []*os.File{c.io.stdout, c.io.stderr} {
		if f != nil {
			_ = f.SetReadDeadline(time.Unix(1, 0))
		}
	}
}

// closeFiles closes our ends. A write or read in progress returns.
func (c *Child) closeFiles() { c.closing.Do(c.io.closeOurs) }
