package tty

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
	inputQueue = unix.TIOCINQ
)

// flushInput discards input that was typed, or sent by the terminal as an answer, and not yet
// read.
func flushInput(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }

// unreadBehind returns how much input waits on the other side of a master. It opens that side for
// a moment: only there the kernel tells.
func unreadBehind(master int) (int, error) {
	slave, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(master), unix.TIOCGPTPEER, unix.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC)
	if errno != 0 {
		return 0, errno
	}
	defer unix.Close(int(slave))
	return unix.IoctlGetInt(int(slave), unix.TIOCINQ)
}
