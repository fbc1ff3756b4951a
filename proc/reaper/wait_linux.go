package reaper

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// peek returns the pid of a child that can be waited for, 0 if there is none. It does not take
// the child's status.
func peek() int {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return 0 // ECHILD: no children at all
		}
		return siginfoPID(&info)
	}
}

// siginfoPID reads si_pid, the first field of siginfo's union. The union follows three ints and
// is aligned like a pointer.
func siginfoPID(info *unix.Siginfo) int {
	const align = unsafe.Sizeof(uintptr(0))
	const offset = (12 + align - 1) &^ (align - 1)
	return int(*(*int32)(unsafe.Add(unsafe.Pointer(info), offset)))
}

// AwaitEnd waits until a child has ended. It does not take the child's status.
func AwaitEnd(pid int) {
	if !polledEnd(pid) {
		hasEnded(pid, 0)
	}
}

// polledEnd waits in the runtime's poller until a child has ended, because a wait in the kernel
// would occupy one thread for each child. It reports false if that is impossible: before Linux
// 5.10, or under a seccomp filter.
func polledEnd(pid int) bool {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return false
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	defer f.Close() // only watched
	raw, err := f.SyscallConn()
	return err == nil && raw.Read(func(uintptr) bool { return hasEnded(pid, unix.WNOHANG) }) == nil
}

// hasEnded reports whether a child has ended, without taking its status. Without WNOHANG it
// waits until the child has ended. An error appears again when the status is taken.
func hasEnded(pid, how int) bool {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT|how, nil)
		if err != unix.EINTR {
			return err != nil || siginfoPID(&info) != 0
		}
	}
}
