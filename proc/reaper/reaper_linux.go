package reaper

import (
	"os"
	"os/signal"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
)

// hiddenWait is how long the owner of a registered zombie may take to wait for it. Until then
// the zombie hides those behind it from peek.
const hiddenWait = 50 * time.Millisecond

// Shared returns the reaper of this process. There is one for any number of users, because the
// kernel keeps one list of children per process: two reapers would take each other's exit
// statuses.
func Shared() *Reaper { return shared() }

var shared = sync.OnceValue(newReaper)

// Reaper waits for the children that were not started here: orphans that came to us because we
// are PID 1 or a subreaper. Children that were started here belong to their owner.
//
// Start holds the read side of starting until its pid is registered. A reap holds the write
// side and checks the registry again. So a pid that is reaped here cannot be one that is being
// started.
type Reaper struct {
	starting sync.RWMutex
	tagger   tagger
	nudge    chan struct{}

	mu    sync.Mutex
	owned map[int]*Ticket
	hides int           // pid of the registered zombie that last hid others
	users int           // Join without Leave
	born  uint64        // the clock at the first Join
	quit  chan struct{} // closed to end the loop; nil until it first runs
	done  chan struct{}
	unset bool // we made this process a subreaper, and Leave undoes it
}

// Ticket is the registration of one started pid. Release removes the ticket and not the pid,
// because the number may belong to the next process by then.
type Ticket struct {
	Tag Tag // of the process, 0 if it has none

	r   *Reaper
	pid int
}

func newReaper() *Reaper {
	return &Reaper{nudge: make(chan struct{}, 1), owned: make(map[int]*Ticket)}
}

// Join makes orphans come to this process, and starts the loop for its first user. An error
// means that orphans do not come; to PID 1 they always come.
func (r *Reaper) Join() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.users++
	if r.users > 1 {
		return nil
	}
	err := r.adopt()
	r.born = procfs.Clock()
	r.quit, r.done = make(chan struct{}), make(chan struct{})
	go r.loop(r.quit, r.done)
	return err
}

func (r *Reaper) adopt() error {
	if os.Getpid() == 1 {
		return nil
	}
	var was int32
	if err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&was)), 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	if was != 0 {
		return nil
	}
	err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	r.unset = err == nil
	return os.NewSyscallError("prctl", err)
}

// Leave undoes Join. The last user to leave kills the orphans that are left, waits for the loop
// and returns how many orphans there were.
func (r *Reaper) Leave() (left int) {
	r.mu.Lock()
	last, born := r.users == 1, r.born
	r.mu.Unlock()
	if last {
		left = r.clear(born)
	}
	r.mu.Lock()
	r.users--
	var done chan struct{}
	if r.users == 0 {
		done = r.done
		close(r.quit)
		if r.unset {
			r.unset = false
			// An error does not matter: at worst orphans still come.
			_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
		}
	}
	r.mu.Unlock()
	if done != nil {
		<-done
	}
	return left
}

// Start runs spawn, which starts a process, with or without a tag of its own. It registers the
// pid before the reaper can look. A spawn that fails may also have made a child and waited for
// it.
func (r *Reaper) Start(how Tagging, spawn func() (int, error)) (*Ticket, error) {
	r.starting.RLock()
	defer r.starting.RUnlock()
	pid, mark, err := r.tagger.start(how, spawn)
	if err != nil {
		return nil, err
	}
	t := &Ticket{r: r, pid: pid, Tag: mark}
	r.mu.Lock()
	r.owned[pid] = t
	r.mu.Unlock()
	return t, nil
}

// Release removes the registration after the status was taken. If the zombie hid others, the
// reaper looks at them now.
func (t *Ticket) Release() {
	t.r.mu.Lock()
	if t.r.owned[t.pid] == t {
		delete(t.r.owned, t.pid)
	}
	hid := t.r.hides == t.pid
	t.r.mu.Unlock()
	if !hid {
		return
	}
	select {
	case t.r.nudge <- struct{}{}:
	default:
	}
}

// Owns reports whether a child was started here and is not released yet.
func (r *Reaper) Owns(pid int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.owned[pid] != nil
}

func (r *Reaper) loop(quit, done chan struct{}) {
	defer close(done)
	chld := make(chan os.Signal, 1)
	signal.Notify(chld, unix.SIGCHLD)
	defer signal.Stop(chld)
	timer := time.NewTimer(hiddenWait)
	defer timer.Stop()
	var late <-chan time.Time // nil if nothing is hidden
	for {
		switch hidden := r.pass(); {
		case !hidden:
			late = nil
		case late == nil:
			timer.Reset(hiddenWait)
			late = timer.C
		}
		select {
		case <-quit:
			return
		case <-chld:
		case <-r.nudge:
		case <-late:
			late = nil
			r.sweep()
		}
	}
}

// pass reaps orphans until no zombie is left, or until it finds a zombie that has an owner. It
// reports whether it found such a zombie.
func (r *Reaper) pass() (hidden bool) {
	for {
		pid := peek()
		if pid == 0 {
			return false
		}
		if r.hidesOthers(pid) || !r.reap(pid) {
			return true
		}
	}
}

// hidesOthers reports whether a zombie has an owner. If so, the release by that owner makes the
// reaper look again.
func (r *Reaper) hidesOthers(pid int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	owned := r.owned[pid] != nil
	if owned {
		r.hides = pid
	}
	return owned
}

// reap takes the status of an orphan. It reports false if the process turns out to have an
// owner.
func (r *Reaper) reap(pid int) bool {
	r.starting.Lock()
	defer r.starting.Unlock()
	if r.hidesOthers(pid) {
		return false
	}
	got, err := unix.Wait4(pid, nil, unix.WNOHANG, nil)
	return got == pid || err == unix.ECHILD
}

// sweep reaps the orphans behind a zombie whose owner has not waited for it yet.
func (r *Reaper) sweep() {
	for _, pid := range procfs.OwnChildren() {
		if !r.Owns(pid) {
			r.reap(pid)
		}
	}
}
