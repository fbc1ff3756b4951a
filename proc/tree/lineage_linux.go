package tree

import (
	"os"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
	"github.com/a2a-sidecar/sidecar/proc/reaper"
)

// Lineage is a process with its ancestors, up to a child of this process, as they were when
// LineageOf looked. They can change later: a process whose parent ends gets another parent.
type Lineage struct {
	pid   int
	line  []procfs.Process // from the process upwards; nil if it does not descend from us
	blind bool             // there is no /proc
}

// maxLineage is how many ancestors are looked at; no real process needs more.
const maxLineage = 256

// LineageOf looks at a process and its ancestors. It reads one small file for each of them.
func LineageOf(pid int) Lineage {
	self := os.Getpid()
	l := Lineage{pid: pid}
	if _, ok := procfs.Read(self); !ok {
		l.blind = true
		return l
	}
	for p, ok := procfs.Read(pid); ok && len(l.line) < maxLineage; p, ok = procfs.Read(p.PPID) {
		l.line = append(l.line, p)
		if p.PPID == self {
			return l
		}
	}
	l.line = nil
	return l
}

// PID returns the pid of the process itself.
func (l Lineage) PID() int { return l.pid }

// Top returns the child of this process that the process descends from, if that child was
// started here. It returns 0 for an orphan that came to us, and for a process that does not
// descend from us.
func (l Lineage) Top() int {
	if len(l.line) == 0 {
		return 0
	}
	top := l.line[len(l.line)-1].PID
	if !reaper.Shared().Owns(top) {
		return 0
	}
	return top
}

// Owns reports whether a process belongs to the tree: it is the tree's own process, a
// descendant of it, or a descendant of an orphan that came to us and carries the tree's marker.
// If there is no /proc, this cannot be known, and Owns reports true.
func (t *Tree) Owns(l Lineage) bool {
	if l.blind || l.pid == t.pid {
		return true
	}
	t.mu.Lock()
	reaped := t.reaped
	t.mu.Unlock()
	if len(l.line) == 0 {
		return false
	}
	for _, p := range l.line {
		if !reaped && p.PID == t.pid && p.Start >= t.born {
			return true
		}
	}
	if reaper.Shared().Owns(l.line[len(l.line)-1].PID) {
		return false // it descends from another process that was started here
	}
	found, _ := newFinder(t).withMarker(l.line)
	return len(found) > 0
}
