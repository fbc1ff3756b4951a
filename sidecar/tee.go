package sidecar

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openTee returns our stdout as the file to which the agent's screen is copied. If it
// may block (a pipe or a terminal), it is opened again: writes then have deadlines,
// and the flags of the open file, which other processes share, stay as they are. If
// it cannot be opened again, it is used as it is.
func openTee(stdout *os.File) *os.File {
	info, err := stdout.Stat()
	if err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) == 0 {
		return stdout
	}
	path := fmt.Sprintf("/dev/fd/%d", stdout.Fd())
	again, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return stdout
	}
	return again
}

// closeTee closes what openTee opened.
func closeTee(f, stdout *os.File) error {
	if f == nil || f == stdout {
		return nil
	}
	return f.Close()
}
