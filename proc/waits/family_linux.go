package waits

import "github.com/a2a-sidecar/sidecar/proc/procfs"

// foreground returns the living processes of the terminal's foreground. They descend from the terminal's first process, but for those whose parent has
// ended; these are looked for only if there are no others.
func foreground(first procfs.Process, family []procfs.Process, whole bool) []procfs.Process {
	members := ofGroup(family, first.Foreground)
	if len(members) == 0 && whole {
		members = ofGroup(procfs.All(), first.Foreground)
	}
	return members
}

// ofGroup returns those that are in a process group and have not ended.
func ofGroup(all []procfs.Process, group int) (members []procfs.Process) {
	for _, p := range all {
		if p.Group == group && !p.Zombie() {
			members = append(members, p)
		}
	}
	return members
}

// descendants returns a process and all that descends from it. Where the kernel does not list
// children, these are found among all processes.
func descendants(first procfs.Process, b budget) (family []procfs.Process, whole bool) {
	family = []procfs.Process{first}
	for i := 0; i < len(family); i++ {
		children, listed := childrenOf(family[i], b)
		if !listed {
			d := procfs.NewDescendants(procfs.All())
			d.Add(first)
			return d.Living, true
		}
		for _, pid := range children {
			if len(family) == maxProcesses || b.spent() {
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

// childrenOf returns the children of all threads of a process; listed is false if the kernel
// does not list them.
func childrenOf(p procfs.Process, b budget) (all []int, listed bool) {
	threads := []int{p.PID}
	if p.Threads > 1 {
		threads = procfs.Threads(p.PID)
	}
	for _, tid := range threads {
		pids, ok := procfs.Children(p.PID, tid)
		if !ok && tid == p.PID {
			if _, alive := procfs.Read(p.PID); alive {
				return nil, false
			}
		}
		if all = append(all, pids...); b.spent() {
			break
		}
	}
	return all, true
}
