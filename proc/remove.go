package proc

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// errMounted: something is mounted there, which is not ours to empty.
var errMounted = errors.New("something is mounted on it")

// enterFlags open a directory to look into it, and no link to one.
const enterFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC

// removePiece is how many names of a directory are held at a time.
const removePiece = 1024

// RemoveTree removes path and everything below it, as os.RemoveAll does: links
// are removed, never followed, a path that does not exist is no error, and what
// cannot be removed stays while the rest goes. In addition it never enters a
// directory on which something is mounted, a bind mount of the same file system
// included: what is in there, and the way to it, stay. A directory of any size
// takes the memory of one of 1,024 names.
func RemoveTree(path string) error {
	parent, err := os.Open(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer parent.Close()
	return removeAt(parent, filepath.Base(path))
}

// RemoveTreeIn is RemoveTree for an entry of a directory that is open.
func RemoveTreeIn(root *os.Root, name string) error {
	parent, err := root.Open(".")
	if err != nil {
		return err
	}
	defer parent.Close()
	return removeAt(parent, name)
}

// removeAt removes an entry of a directory, whatever it is.
func removeAt(parent *os.File, name string) error {
	at := int(parent.Fd())
	err := unix.Unlinkat(at, name, 0)
	if err == nil || err == unix.ENOENT {
		return nil
	}
	// A directory: EISDIR on Linux, EPERM elsewhere.
	if err != unix.EISDIR && err != unix.EPERM && err != unix.EACCES {
		return &fs.PathError{Op: "unlinkat", Path: name, Err: err}
	}
	switch gone := unix.Unlinkat(at, name, unix.AT_REMOVEDIR); gone {
	case nil, unix.ENOENT:
		return nil
	case unix.ENOTDIR:
		return &fs.PathError{Op: "unlinkat", Path: name, Err: err}
	}
	if err := emptyAt(parent, name); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := unix.Unlinkat(at, name, unix.AT_REMOVEDIR); err != nil && err != unix.ENOENT {
		return &fs.PathError{Op: "unlinkat", Path: name, Err: err}
	}
	return nil
}

// emptyAt removes what is in a directory, piece by piece. It opens the directory
// again for each piece: what a directory lists while it changes is not specified.
func emptyAt(parent *os.File, name string) error {
	for {
		dir, err := enterAt(parent, name)
		if err != nil {
			return err
		}
		names, err := dir.Readdirnames(removePiece)
		removed := 0
		var faults []error
		for _, n := range names {
			if fault := removeAt(dir, n); fault != nil {
				faults = append(faults, fault)
			} else {
				removed++
			}
		}
		_ = dir.Close() // only read
		switch {
		case errors.Is(err, io.EOF), len(names) == 0:
			return nil
		case err != nil:
			return err
		case removed == 0:
			return faults[0] // there may be others behind it, as in os.RemoveAll
		}
	}
}

// enterByDevice is enterAt where only the devices tell of a mount.
func enterByDevice(parent *os.File, name string) (*os.File, error) {
	fd, err := unix.Openat(int(parent.Fd()), name, enterFlags, 0)
	if err != nil {
		return nil, os.NewSyscallError("openat", err)
	}
	dir := os.NewFile(uintptr(fd), name)
	var outer, inner unix.Stat_t
	err = errors.Join(unix.Fstat(int(parent.Fd()), &outer), unix.Fstat(fd, &inner))
	if err == nil && outer.Dev != inner.Dev {
		err = errMounted
	}
	if err != nil {
		_ = dir.Close() // only read
		return nil, err
	}
	return dir, nil
}
