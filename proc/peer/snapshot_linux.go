package peer

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
)

// snapshot is the set of all processes at a moment, and which of them are our own: those that
// descend from this process.
type snapshot struct {
	all  []procfs.Process
	own  *procfs.Descendants
	sees bool // we see at least ourselves
}

func newSnapshot() snapshot {
	all := procfs.All()
	own := procfs.NewDescendants(all)
	own.AddOwn()
	self := os.Getpid()
	sees := slices.ContainsFunc(all, func(p procfs.Process) bool { return p.PID == self })
	return snapshot{all: all, own: own, sees: sees}
}

// grown reports whether a later snapshot has a process of ours that n does not have.
func (n snapshot) grown(later snapshot) bool {
	return slices.ContainsFunc(later.all, func(p procfs.Process) bool { return later.own.Has(p.PID) && !n.own.Has(p.PID) })
}

// holder returns who holds the socket and with which process, if a holder is seen. It looks at our own processes
// first. Another process counts only if it can have made the socket, because any program that
// accepts files from others (SCM_RIGHTS) can be made to hold one.
func (n snapshot) holder(s socket) (holder Holder, pid int, ok bool) {
	var others []procfs.Process
	for _, p := range n.all {
		switch {
		case !n.own.Has(p.PID):
			others = append(others, p)
		case p.HasSocket(s.inode):
			return Own, p.PID, true
		}
	}
	for _, p := range others {
		if p.HasSocketInMain(s.inode) {
			return n.foreign(p, s), p.PID, true
		}
	}
	for _, p := range others {
		if p.Threads > 1 && p.HasSocket(s.inode) {
			return n.foreign(p, s), p.PID, true
		}
	}
	return 0, 0, false
}

// foreign returns Other for a holder that is not ours. It returns Hidden if the holder is not
// in the cgroup in which the socket was made and one of our processes is in that cgroup.
func (n snapshot) foreign(p procfs.Process, s socket) Holder {
	if n.inCgroup(s.cgroup) {
		if its := cgroupOf(p.PID); its != noCgroup && its != s.cgroup {
			return Hidden
		}
	}
	return Other
}

// mayHaveMade reports whether one of our processes can have made the socket: it runs as the
// socket's user, or as root (who can make a socket of any user), or in the cgroup in which the
// socket was made.
func (n snapshot) mayHaveMade(s socket) bool {
	for _, p := range n.all {
		if !n.own.Has(p.PID) || p.Zombie() {
			continue
		}
		if uids := procfs.UIDs(p.PID); slices.Contains(uids, s.uid) || slices.Contains(uids, 0) {
			return true
		}
	}
	return n.inCgroup(s.cgroup)
}

// inCgroup reports whether one of our processes is in the cgroup. The root cgroup does not
// count, because it tells nothing.
func (n snapshot) inCgroup(id uint64) bool {
	return id > rootCgroup && slices.ContainsFunc(n.all, func(p procfs.Process) bool {
		return n.own.Has(p.PID) && cgroupOf(p.PID) == id
	})
}

// noCgroup stands for an unknown cgroup; rootCgroup is the root of all cgroups.
const (
	noCgroup   = 0
	rootCgroup = 1
)

// cgroupOf returns the id of a process's cgroup (version 2) in the form that the kernel uses
// for a socket: the inode of the cgroup's directory.
func cgroupOf(pid int) uint64 {
	path, ok := procfs.Cgroup(pid)
	if !ok {
		return noCgroup
	}
	for _, mount := range procfs.CgroupMounts() {
		var dir unix.Stat_t
		if unix.Stat(mount+path, &dir) == nil {
			return dir.Ino
		}
	}
	return noCgroup
}
