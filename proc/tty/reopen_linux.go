package tty

import (
	"errors"
	"fmt"
	"github.com/a2a-sidecar/sidecar/proc"
	"os"
)

// openAgain opens the terminal behind f as a new open file. If the terminal belongs to another
// user (su), it can still be opened as our controlling terminal, if it is that.
func openAgain(f *os.File, flags int) (*os.File, error) {
	var path string
	err := proc.Control(f, func(fd int) error {
		path = fmt.Sprintf("/proc/self/fd/%d", fd)
		return nil
	})
	if err != nil {
		return nil, err
	}
	own, err := os.OpenFile(path, flags, 0)
	if err == nil {
		return own, nil
	}
	if !IsForegroundTerminal(f, f) {
		return nil, err
	}
	own, again := os.OpenFile("/dev/tty", flags, 0)
	if again != nil {
		return nil, errors.Join(err, again)
	}
	return own, nil
}
