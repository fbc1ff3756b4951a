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
