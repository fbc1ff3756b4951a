package proc

import (
	"bytes"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A process that forks and ends at once is gone before a look at all processes is
// over, and so is its child. But a child that has lost its parent comes to us,
// and our own children are listed in no time: at any moment one of such a chain
// is among them.

// chaseQuiet is how many looks in a row must find nobody.
const chaseQuiet = 3

// chase kills the members among the orphans that come to us, until none comes any
// more or the deadline. It reports whether there were any.
func (t *tree) chase(deadline time.Time) (found bool) {
	if !t.c.host.reaps {
		return false
	}
	for quiet := 0; quiet < chaseQuiet; quiet++ {
		if t.c.host.reaper.strike(t.mine) {
			found, quiet = true, -1
			if time.Now().After(deadline) {
				return true
			}
		}
	}
	return found
}

// mine reports whether an orphan is a member: by its tag, else by its marker.
func (t *tree) mine(pid int) bool {
	if mark := tagOf(pid); mark != 0 {
		return mark == t.c.ticket.tag
	}
	p, ok := readProcess(pid)
	return ok && !p.zombie() && p.start >= t.c.born && t.c.marker != "" && p.hasEntry(t.c.marker) == entryPresent
}

// strike kills the orphans that came to us and of which mine is true, and reports
// whether there were any, dead ones too. Meanwhile nobody is reaped, so that no
// number is given away.
func (r *reaper) strike(mine func(pid int) bool) (found bool) {
	r.starting.RLock()
	defer r.starting.RUnlock()
	pids, _ := r.adopted() // where the kernel does not tell, looks must do
	for _, pid := range pids {
		if mine(pid) {
			found = true
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
	return found
}

// emptiness counts the looks that found nobody.
type emptiness struct {
	looks int
	forks string // the kernel's count of them at the last look
}

// emptyLooks is how many looks must find nobody while others fork, which is
// always the case on a busy machine. With no fork between two, two are enough.
const emptyLooks = 3

// believed counts a look and reports whether there is really nobody.
func (e *emptiness) believed() bool {
	before := e.forks
	e.looks, e.forks = e.looks+1, forks()
	return e.looks >= emptyLooks || e.forks != "" && e.forks == before
}

// forks is the line of /proc/stat that counts the processes ever made, "" where
// there is none.
func forks() string {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return ""
	}
	_, rest, _ := bytes.Cut(data, []byte("\nprocesses "))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return string(line)
}

// clear kills the orphans that have come to us, and those that come thereby, until
// there are none, for the given time at most, and returns how many they were. What
// was born before, or is in our own session, is not ours to end: nothing that a
// Host started is there, but what this program started by other means may be, or
// what a script did before it became this program.
func (r *reaper) clear(born uint64, most time.Duration) int {
	session, _ := unix.Getsid(0) // never fails for ourselves
	killed := make(map[int]uint64)
	stray := func(pid int) bool {
		p, ok := readProcess(pid)
		if !ok || p.session == session || p.start < born {
			return false
		}
		if !p.zombie() {
			killed[pid] = p.start
		}
		return true
	}
	deadline := time.Now().Add(most)
	for pause := pollMin; r.strike(stray) && time.Now().Before(deadline); pause = min(2*pause, pollMax) {
		<-time.After(pause) // while they are reaped
	}
	return len(killed)
}
