package tty_test

import (
	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

func getTermios(fd int) (*unix.Termios, error) { return unix.IoctlGetTermios(fd, unix.TCGETS) }

func guardPrograms() map[string]proctest.Program {
	return map[string]proctest.Program{"guarded": playGuarded, "killer": playKiller}
}
