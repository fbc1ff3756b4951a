package proc

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Undumpable keeps other processes of this uid from attaching to ours
// (PT_DENY_ATTACH). It lasts until the next exec.
func Undumpable() error {
	return os.NewSyscallError("ptrace", unix.PtraceDenyAttach())
}

// closeInheritedOnExec marks every open file above 2 close-on-exec.
func closeInheritedOnExec() error {
	names, err := os.ReadDir("/dev/fd")
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
