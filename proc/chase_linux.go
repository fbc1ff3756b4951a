package proc

import (
	"bytes"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A process that forks and ends at once is gone before a look at all processes is over, and so
// is its child. But a child that has lost its parent becomes our child, and listing our own
// children takes almost no time. So at any moment one process of such a chain is among them.

// chaseQuiet is how many looks in a row must find no process.
const chaseQuiet = 3

// chase kills the members among the orphans that come to us, until no more come or the deadline
// passes. It reports whether there were any.
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

// mine reports whether an orphan is a member. Its tag decides; without a tag, its marker does.
func (t *tree) mine(pid int) bool {
	if mark := tagOf(pid); mark != 0 {
		return mark == t.c.ticket.tag
	}
	p, ok := readProcess(pid)
	return ok && !p.zombie() && p.start >= t.c.born && t.c.marker != "" && p.hasEntry(t.c.marker) == entryPresent
}

// strike kills those orphans that came to us for which mine returns true. It reports whether
// there were any, including dead ones. Nothing is reaped meanwhile, so no pid can be reused.
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

// emptiness counts the looks that found no process.
type emptiness struct {
	looks int
	forks string // the kernel's count of forks at the last look
}

// emptyLooks is how many looks must find no process while other processes fork, which they
// always do on a busy machine. Two looks are enough if there was no fork between them.
const emptyLooks = 3

// believed counts a look and reports whether it is now certain that no process is left.
func (e *emptiness) believed() bool {
	before := e.forks
	e.looks, e.forks = e.looks+1, forks()
	return e.looks >= emptyLooks || e.forks != "" && e.forks == before
}

// forks returns the line of /proc/stat that counts all processes ever made, "" if there is no
// such line.
func forks() string {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return ""
	}
	_, rest, _ := bytes.Cut(data, []byte("\nprocesses "))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return string(line)
}

// clear kills the orphans that have come to us, and those that come because of these kills,
// until there are none or the given time is over. It returns how many it killed. It spares
// processes that are older than born or in our own session. A Host starts nothing in our
// session, but this program may have started processes there by other means, as may a script
// before it became this program.
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
