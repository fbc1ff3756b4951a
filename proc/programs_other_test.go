//go:build !linux

package proc_test

import "golang.org/x/sys/unix"

func platformPrograms() map[string]program { return nil }

func getTermios(fd int) (*unix.Termios, error) { return unix.IoctlGetTermios(fd, unix.TIOCGETA) }
