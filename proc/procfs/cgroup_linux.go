package procfs

import (
	"os"
	"path/filepath"
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

// OwnCgroup returns the directory of the group (version 2) that we are in. It returns "" if we should
// not make groups below it: as root we must ask systemd for that in systemd's own units.
func OwnCgroup() string {
	path, ok := Cgroup(0)
	if !ok {
		return ""
	}
	for _, mount := range CgroupMounts() {
		if dir := filepath.Join(mount, path); path == "/" || os.Geteuid() != 0 || delegated(dir) {
			return dir
		}
	}
	return ""
}

// delegated reports whether systemd has delegated a group to the program that it runs.
func delegated(dir string) bool {
	var value [1]byte
	for _, name := range []string{"trusted.delegate", "user.delegate"} {
		if n, err := unix.Getxattr(dir, name, value[:]); err == nil && n == 1 && value[0] == '1' {
			return true
		}
	}
	return false
}
