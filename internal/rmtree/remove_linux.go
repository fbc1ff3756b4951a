package rmtree

import (
	"os"

	"golang.org/x/sys/unix"
)

// enterAt opens a directory of a directory, unless something is mounted on it.
// The kernel refuses that by itself, from Linux 5.6 on; before that, and where a
// filter forbids the question, the two devices tell.
func enterAt(parent *os.File, name string) (*os.File, error) {
	fd, err := unix.Openat2(int(parent.Fd()), name, &unix.OpenHow{Flags: enterFlags, Resolve: unix.RESOLVE_NO_XDEV})
	switch err {
	case nil:
		return os.NewFile(uintptr(fd), name), nil
	case unix.EXDEV:
		return nil, errMounted
	case unix.ENOSYS, unix.EPERM:
		return enterByDevice(parent, name)
	}
	return nil, os.NewSyscallError("openat2", err)
}
