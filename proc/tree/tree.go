package tree

import (
	"log/slog"
	"os"
	"sync"
	"syscall"

	"github.com/a2a-sidecar/sidecar/proc/reaper"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// Starter starts processes, each with a tree of its own. Its methods may be called from many
// goroutines.
type Starter struct {
	// Log receives warnings.
	Log *slog.Logger
	// Reaps says that this process gets orphans and reaps them. Only then do processes get a
	// tag.
	Reaps bool

	platformStarter
}

// Start starts a process that leads a session of its own, so attr.Sys.Setsid is set. The marker
// is an entry of the environment that no other process has, "" for none. With box, the process
// and its descendants are in that sandbox, and in no control group; nil: there is none.
func (s *Starter) Start(path string, argv []string, attr *os.ProcAttr, marker string, box *sandbox.Sandbox) (*Tree, error) {
	t := &Tree{
		starter: s, terminal: attr.Sys.Setctty, marker: marker, user: attr.Sys.Credential, box: box,
		exited: make(chan struct{}), hurry: make(chan struct{}),
	}
	var err error
	if t.ticket, err = t.start(path, argv, attr); err != nil {
		return nil, err
	}
	return t, nil
}

// spawn starts the process, in its sandbox if it has one.
func (t *Tree) spawn(path string, argv []string, attr *os.ProcAttr) (*os.Process, error) {
	if t.box != nil {
		return t.box.Start(path, argv, attr)
	}
	return os.StartProcess(path, argv, attr)
}

// Tree is a process that was started here, and everything that descends from it. Wait is called
// once; the other methods may be called from many goroutines, before and after the process
// ends.
type Tree struct {
	starter  *Starter
	terminal bool // it has a controlling terminal
	marker   string
	user     *syscall.Credential // nil: our own
	box      *sandbox.Sandbox    // nil: none

	process *os.Process
	pid     int
	ticket  *reaper.Ticket

	mu     sync.Mutex
	reaped bool // the pid is no longer ours
	platformTree

	exited chan struct{}
	ladder sync.Once
	hurry  chan struct{} // closed to end the grace early
	rush   sync.Once
}

// PID returns the process's pid, which is also the number of its group and session. Once Exited
// is closed, the number means nothing.
func (t *Tree) PID() int { return t.pid }

// Exited returns a channel that is closed when the process has ended and ended has returned;
// see Wait.
func (t *Tree) Exited() <-chan struct{} { return t.exited }

// Wait waits for the process and calls ended with its status. It takes the status at once, so
// that the zombie hides no orphan from the reaper.
func (t *Tree) Wait(ended func(*os.ProcessState, error)) {
	state, err := t.reap()
	t.ticket.Release()
	ended(state, err)
	close(t.exited)
	t.leave()
	t.leaveBox()
}

// leaveBox removes what the sandbox has for the process and all that it started, if they have ended.
func (t *Tree) leaveBox() {
	if t.box != nil {
		t.box.Ended(t.process)
	}
}

// Signal sends a signal to the process. After the process has ended, the error is
// os.ErrProcessDone.
func (t *Tree) Signal(sig os.Signal) error { return t.process.Signal(sig) }

// SignalGroup sends a signal to the process group. If the process has ended, the error is
// os.ErrProcessDone; the group may still have members. SignalGroup holds the lock while it
// sends the signal, so that the pid cannot be reused meanwhile.
func (t *Tree) SignalGroup(s syscall.Signal) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reaped {
		return os.ErrProcessDone
	}
	return os.NewSyscallError("kill", syscall.Kill(-t.pid, s))
}
