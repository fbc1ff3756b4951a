package procfs

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// HasSocket reports whether a socket is seen in the file table of any thread of the process. A
// thread can have a table of its own; if the main thread has ended, only such tables are left.
func (p Process) HasSocket(inode uint64) bool {
	if p.HasSocketInMain(inode) {
		return true
	}
	dir := "/proc/" + strconv.Itoa(p.PID) + "/task"
	for _, tid := range numbers(dir) {
		if tid != p.PID && !sharesFiles(p.PID, tid) && p.hasSocketIn(dir+"/"+strconv.Itoa(tid)+"/fd", inode) {
			return true
		}
	}
	return false
}

// HasSocketInMain is HasSocket for the main thread's table only.
func (p Process) HasSocketInMain(inode uint64) bool {
	return p.hasSocketIn("/proc/"+strconv.Itoa(p.PID)+"/fd", inode)
}

// sharesFiles reports whether two threads certainly share one file table. Some kernels and
// containers do not tell.
func sharesFiles(pid, tid int) bool {
	const kcmpFiles = 2
	order, _, errno := unix.Syscall6(unix.SYS_KCMP, uintptr(pid), uintptr(tid), kcmpFiles, 0, 0, 0)
	return errno == 0 && order == 0
}

// hasSocketIn reports whether a socket is in a file table. If we are root without CAP_SYS_PTRACE,
// it looks as the process's user.
func (p Process) hasSocketIn(dir string, inode uint64) bool {
	holds, denied := socketIn(dir, inode)
	if denied && os.Geteuid() == 0 {
		if uid, gid, ok := effectiveIDs(p.PID); ok {
			AsUser(uid, gid, func() { holds, _ = socketIn(dir, inode) })
		}
	}
	return holds
}

func socketIn(dir string, inode uint64) (holds, denied bool) {
	fds := numbers(dir)
	if len(fds) == 0 {
		_, err := os.ReadDir(dir)
		return false, os.IsPermission(err)
	}
	want := "socket:[" + strconv.FormatUint(inode, 10) + "]"
	for _, fd := range fds {
		var buf [64]byte
		size, err := unix.Readlink(dir+"/"+strconv.Itoa(fd), buf[:])
		switch {
		case err == unix.EACCES || err == unix.EPERM:
			denied = true
		case err == nil && string(buf[:size]) == want:
			return true, false
		}
	}
	return false, denied
}
