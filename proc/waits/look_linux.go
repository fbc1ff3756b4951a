package waits

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
)

// Terminal is the terminal of a process and of its descendants.
type Terminal struct {
	pid    int
	limits limits
}

// Of returns the terminal of a process, which is usually the first process of a session.
func Of(pid int) *Terminal { return &Terminal{pid: pid, limits: defaultLimits()} }

// Look inspects the processes in the foreground of the terminal. Many goroutines may call it at
// the same time.
func (t *Terminal) Look() Look {
	runtime.LockOSThread() // its processor time is measured
	defer runtime.UnlockOSThread()
	began := threadTime()
	look := t.look(newBudget(t.limits))
	look.Cost = threadTime() - began
	return look
}

func (t *Terminal) look(b budget) Look {
	first, ok := procfs.Read(t.pid)
	switch {
	case !ok && !mounted():
		return Look{Kind: Hidden, Why: "there is no /proc"}
	case !ok || first.Zombie():
		return Look{Kind: Gone}
	case first.Terminal == 0 || first.Foreground <= 0:
		return Look{Kind: Hidden, Why: fmt.Sprintf("process %d has no terminal", t.pid)}
	}
	family, whole := descendants(first, b)
	look := lookAt(first, family, whole, b)
	look.InnerBusy = look.Kind == Watches && innerBusy(first.Terminal, family, b)
	return look
}

// mounted reports whether there is a /proc.
func mounted() bool {
	_, ok := procfs.Read(os.Getpid())
	return ok
}

// lookAt inspects the foreground of the terminal of first. If whole is false, family lacks some of
// the processes that descend from first.
func lookAt(first procfs.Process, family []procfs.Process, whole bool, b budget) Look {
	s := sight{terminal: first.Terminal, look: Look{Group: first.Foreground}, left: b.threads, budget: b}
	members := family
	if whole {
		members, whole = foreground(first, family, b)
	}
	for _, p := range members {
		if inGroup(p, first.Foreground) {
			s.process(p)
		}
	}
	switch {
	case whole:
	case b.spent():
		s.hide(tooLong)
	default:
		s.hide(tooMany)
	}
	return s.result()
}

// innerBusy reports whether the foreground of another terminal of the family is busy. A program
// such as script(1) only shows what happens on such a terminal.
func innerBusy(terminal uint64, family []procfs.Process, b budget) bool {
	for _, p := range family {
		if p.Terminal != terminal && p.Terminal != 0 && p.PID == p.Session && p.Foreground > 0 &&
			lookAt(p, family, true, b).Kind == Busy {
			return true
		}
	}
	return false
}

// sight combines what the threads of the foreground do into one Look.
type sight struct {
	terminal uint64
	look     Look
	left     int // how many threads may still be inspected
	budget   budget
	busy     int    // the process that does what look.Doing says
	working  bool   // a process that does not read the terminal may be at work
	wakes    uint64 // how often the threads have gone to sleep that do something else
	relays   bool   // the program that waits for the terminal writes to something else
	some     bool   // at least one thread was inspected
	hidden   string // why a thread could not be inspected
}

// hide records why something could not be inspected. The first reason stays.
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
	best, active, working := wait{}, 0, false
	for tid := range threadsOf(p) {
		if s.left--; s.left < 0 {
			s.hide(tooManyThread)
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
		best.kind = Watches // one thread reads, and the others may be at work on what it has read
	}
	s.working = s.working || working && best.kind < Watches
	if best.kind > s.look.Kind {
		s.look.Kind, s.look.PID, s.look.Timeout = best.kind, p.PID, best.timeout
		s.relays = best.kind > Watches && !s.on(p, p.PID).isTerminal(1)
	}
}

// on returns a thread of a process.
func (s *sight) on(p procfs.Process, tid int) thread {
	return thread{pid: p.PID, tid: tid, terminal: s.terminal, own: p.Terminal == s.terminal, budget: s.budget}
}

// thread returns what a thread does, and adds it to the look. It reports false if the thread could
// not be inspected.
func (s *sight) thread(t thread) (wait, bool) {
	w, err := t.waits()
	switch {
	case errors.Is(err, errEnded):
		return w, false
	case errors.Is(err, fs.ErrPermission):
		s.hide(fmt.Sprintf("process %d may not be inspected: it belongs to another user, or the rules for ptrace forbid it", t.pid))
		return w, false
	case err != nil:
		s.hide(fmt.Sprintf("process %d cannot be inspected: %v", t.pid, err))
		return w, false
	case w.kind == Busy:
		s.does(t.pid, w.doing)
		s.wakes += t.switches()
	default:
		s.some = true
		s.look.Switches += t.switches()
	}
	return w, true
}

// does records what a thread does that does not wait for the terminal.
func (s *sight) does(pid int, what Doing) {
	s.some = true
	if s.busy == 0 || what > s.look.Doing {
		s.busy, s.look.Doing = pid, what
	}
}

// result returns the look. A process that waits for the terminal decides, even if other processes
// could not be inspected. But if it passes on what it reads, another process makes the answer.
func (s *sight) result() Look {
	switch {
	case s.relays && (s.working || s.hidden != ""):
		s.look.Kind = Watches
	case s.look.Kind > Busy:
	case s.hidden != "":
		s.look.Kind, s.look.Why = Hidden, s.hidden
	case s.some:
		s.look.Kind, s.look.PID, s.look.Switches = Busy, s.busy, s.wakes
	}
	return s.look
}
