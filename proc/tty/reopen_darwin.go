package tty

import (
	"bytes"
	"os"
	"unsafe"

	"github.com/a2a-sidecar/sidecar/proc"
	"golang.org/x/sys/unix"
)

// openAgain opens the terminal behind f by its name as a new open file.
func openAgain(f *os.File, flags int) (*os.File, error) {
	var path [unix.PathMax]byte
	err := proc.Control(f, func(fd int) error {
		_, err := unix.FcntlInt(uintptr(fd), unix.F_GETPATH, int(uintptr(unsafe.Pointer(&path))))
		return err
	})
	if err != nil {
		return nil, err
	}
	name, _, _ := bytes.Cut(path[:], []byte{0})
	return os.OpenFile(string(name), flags, 0)
}
