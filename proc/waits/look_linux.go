package waits

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
	"golang.org/x/sys/unix"
)

// The limits of a look: processes, threads, and how long it keeps a processor busy.
const (
	maxProcesses = 512
	maxThreads   = 4096
	maxCost      = 30 * time.Millisecond
)

// tooLong is why a look that has reached maxCost saw no more.
const tooLong = "to look at all processes of the foreground takes too long"

// Terminal is the terminal of a process and of what descends from it.
type Terminal struct{ pid int }

// Of returns the terminal of a process: of a session's first one, as a rule.
func Of(pid int) *Terminal { return &Terminal{pid: pid} }

// Look looks at the processes in the foreground of the terminal. It may be called by many
// goroutines.
func (t *Terminal) Look() Look {
	runtime.LockOSThread() // whose time is measured
	defer runtime.UnlockOSThread()
	began := threadTime()
	look := t.look(budget{end: began + maxCost})
	look.Cost = threadTime() - began
	return look
}

// threadTime returns how long this thread has kept a processor busy.
func threadTime() time.Duration {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now) != nil {
		return 0
	}
	return time.Duration(now.Nano())
}

// budget is how much a look may still cost.
type budget struct{ end time.Duration }

// spent reports whether nothing is left. The time is that of this thread.
func (b budget) spent() bool { return threadTime() >= b.end }

func (t *Terminal) look(b budget) Look {
	first, ok := procfs.Read(t.pid)
	switch {
	case !ok && !seen():
		return Look{Kind: Hidden, Why: "there is no /proc"}
	case !ok || first.Zombie():
		return Look{Kind: Gone}
	case first.Terminal == 0 || first.Foreground <= 0:
		return Look{Kind: Hidden, Why: fmt.Sprintf("process %d has no terminal", t.pid)}
	}
	family, whole := descendants(first, b)
	look := lookAt(first, family, whole, b)
	look.Behind = look.Kind == Watches && worksBehind(first.Terminal, family, b)
	return look
}

// lookAt looks at the foreground of the terminal of a process.
func lookAt(first procfs.Process, family []procfs.Process, whole bool, b budget) Look {
	s := sight{terminal: first.Terminal, look: Look{Group: first.Foreground}, left: maxThreads, budget: b}
	for _, p := range foreground(first, family, whole) {
		s.process(p)
	}
	if !whole {
		s.hide("too many processes descend from the agent")
	}
	return s.result()
}

// worksBehind reports whether the foreground of another terminal of the family does not wait for
// that one: a program such as script(1) only shows what happens there.
func worksBehind(terminal uint64, family []procfs.Process, b budget) bool {
	for _, p := range family {
		if p.Terminal != terminal && p.Terminal != 0 && p.PID == p.Session && p.Foreground > 0 &&
			lookAt(p, family, true, b).Kind == Busy {
			return true
		}
	}
	return false
}

// seen reports whether there is a /proc.
func seen() bool {
	_, ok := procfs.Read(os.Getpid())
	return ok
}

// sight puts together what the threads of the foreground do.
type sight struct {
	terminal uint64
	look     Look
	left     int // how many threads may still be looked at
	budget   budget
	busy     int    // the process that does what is told of in look.Doing
	working  bool   // a process that does not read the terminal may be at work
	relays   bool   // what waits for the terminal writes to something else
	some     bool   // some thread was seen
	hidden   string // why a thread could not be seen
}

// hide notes that something could not be seen.
func (s *sight) hide(why string) {
	if s.hidden == "" {
		s.hidden = why
	}
}

// process adds what the threads of a process do.
func (s *sight) process(p procfs.Process) {
	if p.State == 'T' || p.State == 't' {
		s.does(p.PID, Stopped)
		return
	}
	threads := []int{p.PID}
	if p.Threads > 1 {
		threads = procfs.Threads(p.PID)
	}
	best, active, working := wait{}, 0, false
	for _, tid := range threads {
		if s.left--; s.left < 0 {
			s.hide("the foreground has too many threads")
			return
		}
		if s.budget.spent() {
			s.hide(tooLong)
			return
		}
		w, ok := s.thread(s.on(p, tid))
		if ok && w.kind > best.kind {
			best = w
		}
		if ok && !w.idle && !(w.kind == Reads || w.kind == Polls) {
			active++
		}
		working = working || ok && w.works()
	}
	if active > 0 && best.kind > Watches {
		best.kind = Watches // one thread reads, and others may be at work on what it has read
	}
	s.working = s.working || working && best.kind < Watches
	if best.kind > s.look.Kind {
		s.look.Kind, s.look.PID, s.look.Timeout = best.kind, p.PID, best.timeout
		s.relays = best.kind > Watches && !s.on(p, p.PID).isTerminal(1)
	}
}

// on returns a thread of a process.
func (s *sight) on(p procfs.Process, tid int) thread {
	return thread{pid: p.PID, tid: tid, terminal: s.terminal, own: p.Terminal == s.terminal}
}

// thread returns what one thread does, and adds it. It reports false if that cannot be seen.
func (s *sight) thread(t thread) (wait, bool) {
	w, err := t.waits()
	switch {
	case errors.Is(err, errEnded):
		return w, false
	case errors.Is(err, fs.ErrPermission):
		s.hide(fmt.Sprintf("process %d may not be looked at: it belongs to another user, or the rules for ptrace forbid it", t.pid))
		return w, false
	case err != nil:
		s.hide(fmt.Sprintf("process %d cannot be looked at: %v", t.pid, err))
		return w, false
	case w.kind == Busy:
		s.does(t.pid, w.doing)
	default:
		s.some = true
		s.look.Switches += t.switches()
	}
	return w, true
}

// does notes what a thread does that does not wait for the terminal.
func (s *sight) does(pid int, what Doing) {
	s.some = true
	if s.busy == 0 || what > s.look.Doing {
		s.busy, s.look.Doing = pid, what
	}
}

// result returns what was seen. What waits for the terminal counts, whatever else cannot be seen;
// but if it passes on what it reads, others make the answer.
func (s *sight) result() Look {
	switch {
	case s.relays && (s.working || s.hidden != ""):
		s.look.Kind = Watches
	case s.look.Kind > Busy:
	case s.hidden != "":
		s.look.Kind, s.look.Why = Hidden, s.hidden
	case s.some:
		s.look.Kind, s.look.PID = Busy, s.busy
	}
	return s.look
}
