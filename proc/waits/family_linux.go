package waits

import (
	"iter"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
)

// foreground returns the living processes of the terminal's foreground, and reports whether these
// are all. Usually they descend from the terminal's first process. Only if none of its descendants
// is in the foreground, all processes are searched: the parent of such a process may have ended.
func foreground(first procfs.Process, family []procfs.Process, b budget) (members []procfs.Process, whole bool) {
	for _, p := range family {
		if inGroup(p, first.Foreground) {
			members = append(members, p)
		}
	}
	if len(members) > 0 {
		return members, true
	}
	whole = each(b, func(p procfs.Process) bool {
		if inGroup(p, first.Foreground) {
			members = append(members, p)
		}
		return len(members) < b.processes
	})
	return members, whole
}

// inGroup reports whether a process is in a process group and has not ended.
func inGroup(p procfs.Process, group int) bool { return p.Group == group && !p.Zombie() }

// each calls take for all processes that we can see until it returns false. It reports whether
// take got all of them.
func each(b budget, take func(procfs.Process) bool) bool {
	for pid := range procfs.PIDs() {
		if b.spent() {
			return false
		}
		if p, ok := procfs.Read(pid); ok && !take(p) {
			return false
		}
	}
	return true
}

// descendants returns a process and all that descend from it, and reports whether these are all.
func descendants(first procfs.Process, b budget) (family []procfs.Process, whole bool) {
	family = []procfs.Process{first}
	for i := 0; i < len(family); i++ {
		children, listed := childrenOf(family[i], b)
		if !listed {
			return unlisted(first, b)
		}
		for _, pid := range children {
			if len(family) == b.processes || b.spent() {
				return family, false
			}
			if p, ok := procfs.Read(pid); ok {
				family = append(family, p)
			}
		}
		if b.spent() {
			return family, false
		}
	}
	return family, true
}

// unlisted is descendants for a kernel that does not list the children of a process: it finds them
// among all processes.
func unlisted(first procfs.Process, b budget) (family []procfs.Process, whole bool) {
	var all []procfs.Process
	whole = each(b, func(p procfs.Process) bool {
		all = append(all, p)
		return true
	})
	d := procfs.NewDescendants(all)
	d.Add(first)
	if len(d.Living) > b.processes {
		return d.Living[:b.processes], false
	}
	return d.Living, whole
}

// childrenOf returns the children of all threads of a process, or the first of them if there are
// more than may be inspected. It reports false if the kernel does not list them.
func childrenOf(p procfs.Process, b budget) (all []int, listed bool) {
	for tid := range threadsOf(p) {
		pids, ok := procfs.FirstChildren(p.PID, tid, b.processes)
		if !ok && tid == p.PID {
			if _, alive := procfs.Read(p.PID); alive {
				return nil, false
			}
		}
		if all = append(all, pids...); len(all) > b.processes || b.spent() {
			break
		}
	}
	return all, true
}

// threadsOf yields the ids of the threads of a process.
func threadsOf(p procfs.Process) iter.Seq[int] {
	if p.Threads > 1 {
		return procfs.TIDs(p.PID)
	}
	return func(yield func(int) bool) { yield(p.PID) }
}
