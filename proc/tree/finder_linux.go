package tree

import (
	"os"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
	"github.com/a2a-sidecar/sidecar/proc/reaper"
)

// finder finds the living members of a tree, including those that are no longer below its
// process: a process whose parent ends gets another parent, and a daemon takes a session of its
// own. A process is a member if it
//
//   - is the tree's process, or is in its group or session,
//   - was a member in an earlier look (so look while the parents live),
//   - has the tree's tag or, if it has no tag, the tree's marker in its environment,
//   - or has a parent that is a member.
//
// A finder is used by one goroutine.
type finder struct {
	t     *Tree
	known map[int]procfs.Process
	bare  map[int]uint64   // start of each process without an environment, by pid
	dead  []procfs.Process // zombies found by the last look
}

// blind reports whether no process can be seen at all.
func (f *finder) blind() bool {
	_, ok := procfs.Read(os.Getpid())
	return !ok
}

func newFinder(t *Tree) *finder {
	return &finder{t: t, known: make(map[int]procfs.Process), bare: make(map[int]uint64)}
}

// look returns the living members, including the tree's own process, and remembers them.
func (f *finder) look() []procfs.Process {
	all := procfs.All()
	found := procfs.NewDescendants(all)
	found.Add(f.seeds(all)...)
	found.Add(f.marked(all, found)...)
	for _, p := range found.Living {
		f.known[p.PID] = p
	}
	f.dead = found.Zombies
	return found.Living
}

// seeds returns the processes that are members whatever their parent is.
func (f *finder) seeds(all []procfs.Process) (list []procfs.Process) {
	t := f.t
	ours := f.numberIsOurs(all)
	for _, p := range all {
		old, seen := f.known[p.PID]
		named := p.PID == t.pid || p.Group == t.pid || p.Session == t.pid
		if seen && old.Start == p.Start || ours && named && p.Start >= t.born {
			list = append(list, p)
		}
	}
	return list
}

// numberIsOurs reports whether the process's pid still means its group and session. The kernel
// does not reuse a number while it is the number of a process, group or session. So after the
// process was reaped, the number is ours as long as a member from before is left and no process
// has it as its pid.
func (f *finder) numberIsOurs(all []procfs.Process) bool {
	t := f.t
	t.mu.Lock()
	reaped, at := t.reaped, t.reapedAt
	t.mu.Unlock()
	if !reaped {
		return true
	}
	old := false
	for _, p := range all {
		if p.PID == t.pid {
			return false
		}
		if (p.Group == t.pid || p.Session == t.pid) && p.Start >= t.born && p.Start <= at {
			old = true
		}
	}
	return old
}

// marked returns those of all that have the tag, or that have no tag but the marker. It leaves
// out known members and processes older than the tree. A process in the middle of an exec has
// no environment for a moment, so marked reads an empty environment again.
func (f *finder) marked(all []procfs.Process, known *procfs.Descendants) (list []procfs.Process) {
	var ask []procfs.Process
	for _, p := range all {
		if known.Has(p.PID) || p.Start < f.t.born || p.Zombie() || p.Kernel {
			continue
		}
		start, bare := f.bare[p.PID]
		switch mark := reaper.TagOf(p.PID); {
		case mark != 0 && mark == f.t.ticket.Tag:
			list = append(list, p)
		case mark == 0 && f.t.marker != "" && !(bare && start == p.Start):
			ask = append(ask, p)
		}
	}
	for range execTries {
		found, empty := f.withMarker(ask)
		list = append(list, found...)
		if len(empty) == 0 {
			return list
		}
		ask = empty
		<-time.After(execPause)
	}
	for _, p := range ask {
		f.bare[p.PID] = p.Start
	}
	return list
}

// execTries and execPause bound the wait for an exec to set the environment. A process that
// really has no environment costs this wait only once.
const (
	execTries = 5
	execPause = 2 * time.Millisecond
)

// withMarker returns the processes of ask that have the marker, and those whose environment is
// empty. It reads as ourselves, and as the tree's user if we may not read.
func (f *finder) withMarker(ask []procfs.Process) (found, empty []procfs.Process) {
	var denied []procfs.Process
	sort := func(list []procfs.Process) {
		for _, p := range list {
			switch p.HasEntry(f.t.marker) {
			case procfs.Present:
				found = append(found, p)
			case procfs.Unknown:
				empty = append(empty, p)
			case procfs.Denied:
				denied = append(denied, p)
			}
		}
	}
	sort(ask)
	if list := denied; len(list) > 0 && f.t.user != nil {
		procfs.AsUser(f.t.user.Uid, f.t.user.Gid, func() { sort(list) })
	}
	return found, empty
}
