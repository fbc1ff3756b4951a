package rmtree

import (
	"os"

	"golang.org/x/sys/unix"
)

// enterAt opens a directory inside a directory, unless something is mounted on it. From Linux
// 5.6 on, the kernel itself refuses to open such a directory. Before that, and if a seccomp
// filter forbids the call, the two device numbers are compared.
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
