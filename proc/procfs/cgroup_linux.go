package procfs

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Cgroup returns the path of a process's control group (version 2); pid 0 is this process.
// It reports false if the process is gone or is in no such group.
func Cgroup(pid int) (path string, ok bool) {
	name := "self"
	if pid != 0 {
		name = strconv.Itoa(pid)
	}
	data, err := os.ReadFile("/proc/" + name + "/cgroup")
	if err != nil {
		return "", false
	}
	_, path, ok = strings.Cut("\n"+string(data), "\n0::")
	path, _, _ = strings.Cut(path, "\n")
	return path, ok
}

// CgroupMounts returns the directories where control groups (version 2) are mounted.
func CgroupMounts() (mounts []string) {
	for _, mount := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		var fs unix.Statfs_t
		if unix.Statfs(mount, &fs) == nil && fs.Type == unix.CGROUP2_SUPER_MAGIC {
			mounts = append(mounts, mount)
		}
	}
	return mounts
}
