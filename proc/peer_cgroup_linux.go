package proc

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// noCgroup stands for an unknown cgroup; rootCgroup is the root of all cgroups.
const (
	noCgroup   = 0
	rootCgroup = 1
)

// cgroup returns the id of the process's cgroup (version 2) in the form that the kernel uses
// for a socket: the inode of the cgroup's directory.
func (p process) cgroup() uint64 {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/cgroup")
	if err != nil {
		return noCgroup
	}
	_, path, ok := strings.Cut("\n"+string(data), "\n0::")
	if path, _, _ = strings.Cut(path, "\n"); !ok {
		return noCgroup
	}
	for _, mount := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		var fs unix.Statfs_t
		var dir unix.Stat_t
		if unix.Statfs(mount, &fs) == nil && fs.Type == unix.CGROUP2_SUPER_MAGIC && unix.Stat(mount+path, &dir) == nil {
			return dir.Ino
		}
	}
	return noCgroup
}
