package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropBounding takes all capabilities out of the bounding set of the calling thread, so that no
// program gives them back. Without CAP_SETPCAP the set stays, which changes nothing once
// no_new_privs is set.
func dropBounding() error {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		switch err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err {
		case nil, unix.EPERM:
		case unix.EINVAL: // an older kernel has fewer
			return nil
		default:
			return os.NewSyscallError("prctl", err)
		}
	}
	return nil
}

// dropCapabilities takes all capabilities from the calling thread.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && err != unix.EINVAL {
		return os.NewSyscallError("prctl", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return os.NewSyscallError("capset", unix.Capset(&header, &none[0]))
}
