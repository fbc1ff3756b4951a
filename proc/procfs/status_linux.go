package procfs

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// UIDs returns the uids of a process: real, effective, saved and file system.
func UIDs(pid int) []uint32 { return statusIDs(pid, "\nUid:") }

// effectiveIDs returns the effective user and group of a process. It reports false if the
// process is gone.
func effectiveIDs(pid int) (uid, gid uint32, ok bool) {
	uids, gids := UIDs(pid), statusIDs(pid, "\nGid:")
	if len(uids) < 2 || len(gids) < 2 {
		return 0, 0, false
	}
	return uids[1], gids[1], true
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

// AsOwner is AsUser with the ids of a process. It does nothing if the process is gone.
func AsOwner(pid int, fn func()) {
	if uid, gid, ok := effectiveIDs(pid); ok {
		AsUser(uid, gid, fn)
	}
}

// AsUser runs fn with other file system ids. With them, a root without CAP_SYS_PTRACE can
// open the /proc files of that user's processes. Only this thread's ids change.
func AsUser(uid, gid uint32, fn func()) {
	runtime.LockOSThread()
	oldGID, err := unix.SetfsgidRetGid(int(gid))
	if err != nil {
		runtime.UnlockOSThread()
		return
	}
	oldUID, err := unix.SetfsuidRetUid(int(uid))
	if err == nil {
		fn()
	}
	if unix.Setfsuid(oldUID) != nil || unix.Setfsgid(oldGID) != nil {
		return // still locked: the thread ends with the goroutine
	}
	runtime.UnlockOSThread()
}
