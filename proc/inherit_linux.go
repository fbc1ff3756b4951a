package proc

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Undumpable keeps other processes of this uid from reading our memory, our
// environment and our files (PR_SET_DUMPABLE). It lasts until the next exec.
func Undumpable() error {
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
}

// closeInheritedOnExec marks every open file above 2 close-on-exec.
func closeInheritedOnExec() error {
	err := unix.CloseRange(3, ^uint(0)>>1&0xffffffff, unix.CLOSE_RANGE_CLOEXEC)
	if err == nil {
		return nil
	}
	// The kernel is older than Linux 5.11, or a seccomp filter does not know the call.
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, n := range names {
		if fd, err := strconv.Atoi(n.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}
