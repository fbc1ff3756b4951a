package tree

import (
	"time"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
	"github.com/a2a-sidecar/sidecar/proc/reaper"
)

// A process that forks and ends at once is gone before a look at all processes is over, and so
// is its child. But a child that has lost its parent becomes our child, and listing our own
// children takes almost no time. So at any moment one process of such a chain is among them.

// chaseQuiet is how many looks in a row must find no process.
const chaseQuiet = 3

// chase kills the members among the orphans that come to us, until no more come or the deadline
// passes. It reports whether there were any.
func (f *finder) chase(deadline time.Time) (found bool) {
	if !f.t.starter.Reaps {
		return false
	}
	for quiet := 0; quiet < chaseQuiet; quiet++ {
		if reaper.Shared().KillOrphans(f.mine) {
			found, quiet = true, -1
			if time.Now().After(deadline) {
				return true
			}
		}
	}
	return found
}

// mine reports whether an orphan is a member. Its tag decides; without a tag, its marker does.
func (f *finder) mine(pid int) bool {
	if mark := reaper.TagOf(pid); mark != 0 {
		return mark == f.t.ticket.Tag
	}
	p, ok := procfs.Read(pid)
	return ok && !p.Zombie() && p.Start >= f.t.born && f.t.marker != "" && p.HasEntry(f.t.marker) == procfs.Present
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
	e.looks, e.forks = e.looks+1, procfs.Forks()
	return e.looks >= emptyLooks || e.forks != "" && e.forks == before
}
