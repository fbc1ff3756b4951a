package peer

import (
	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
)

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
