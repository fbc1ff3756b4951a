package job

import "golang.org/x/sys/unix"

// noExec reports whether nothing in a directory can be executed.
func noExec(dir string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(dir, &fs) == nil && fs.Flags&unix.MNT_NOEXEC != 0
}
