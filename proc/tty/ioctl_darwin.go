package tty

import "golang.org/x/sys/unix"

const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
	inputQueue = 0x4004667f // FIONREAD
)

// flushInput discards input that was typed, or sent by the terminal as an answer, and not yet
// read.
func flushInput(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, unix.TCIFLUSH) }

// unreadBehind says that this system does not tell.
func unreadBehind(int) (int, error) { return 0, unix.ENOTSUP }
