package proc

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// holds reports whether a socket is seen in the file table of any thread of the process. A
// thread can have a table of its own; if the main thread has ended, only such tables are left.
func (p process) holds(inode uint64) bool {
	if p.holdsFirst(inode) {
		return true
	}
	dir := "/proc/" + strconv.Itoa(p.pid) + "/task"
	for _, tid := range numericNames(dir) {
		if tid != p.pid && !sharesFiles(p.pid, tid) && p.holdsIn(dir+"/"+strconv.Itoa(tid)+"/fd", inode) {
			return true
		}
	}
	return false
}

// holdsFirst is holds for the main thread's table only.
func (p process) holdsFirst(inode uint64) bool {
	return p.holdsIn("/proc/"+strconv.Itoa(p.pid)+"/fd", inode)
}

// sharesFiles reports whether two threads certainly share one file table. Some kernels and
// containers do not tell.
func sharesFiles(pid, tid int) bool {
	const kcmpFiles = 2
	order, _, errno := unix.Syscall6(unix.SYS_KCMP, uintptr(pid), uintptr(tid), kcmpFiles, 0, 0, 0)
	return errno == 0 && order == 0
}

// holdsIn reports whether a socket is in a file table. If we are root without CAP_SYS_PTRACE,
// it looks as the process's user.
func (p process) holdsIn(dir string, inode uint64) bool {
	holds, denied := socketIn(dir, inode)
	if denied && isRoot() {
		if u := userOf(p.pid); u != nil {
			asFileUser(u, func() { holds, _ = socketIn(dir, inode) })
		}
	}
	return holds
}

func socketIn(dir string, inode uint64) (holds, denied bool) {
	fds := numericNames(dir)
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

// uidsOf returns the uids of a process: real, effective, saved and file system.
func uidsOf(pid int) []uint32 { return statusIDs(pid, "\nUid:") }

// userOf returns the effective user and group of a process, nil if the process is gone.
func userOf(pid int) *User {
	uids, gids := uidsOf(pid), statusIDs(pid, "\nGid:")
	if len(uids) < 2 || len(gids) < 2 {
		return nil
	}
	return &User{UID: uids[1], GID: gids[1]}
}

// statusIDs reads the numbers of one line of /proc/PID/status.
func statusIDs(pid int, line string) (ids []uint32) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(data), line)
	rest, _, _ = strings.Cut(rest, "\n")
	for _, f := range strings.Fields(rest) {
		if n, err := strconv.ParseUint(f, 10, 32); err == nil {
			ids = append(ids, uint32(n))
		}
	}
	return ids
}
