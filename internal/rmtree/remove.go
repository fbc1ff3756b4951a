package rmtree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// errMounted says that something is mounted on a directory, which is not ours to empty.
var errMounted = errors.New("something is mounted on it")

// enterFlags open a directory to read it, and do not open a link to a directory.
const enterFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC

// Remove removes path and everything below it, as os.RemoveAll does: links are removed, never
// followed; a path that does not exist is not an error; if something cannot be removed, it
// stays and the rest is removed. In addition, Remove never enters a directory on which
// something is mounted, even by a bind mount of the same file system: its content, and the path
// to it, stay. A directory of any size takes the memory of 1,024 names, and a tree of any depth
// takes two descriptors.
func Remove(path string) error {
	if err := unix.Rmdir(path); err == nil || err == unix.ENOENT {
		return nil // usually it is empty
	}
	parent, err := os.Open(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer parent.Close()
	return removeFrom(parent, filepath.Base(path))
}

// RemoveIn is Remove for an entry of an open directory.
func RemoveIn(root *os.Root, name string) error {
	parent, err := root.Open(".")
	if err != nil {
		return err
	}
	defer parent.Close()
	return removeFrom(parent, name)
}

// removeFrom removes an entry of a directory with everything in it.
func removeFrom(parent *os.File, name string) error {
	full, err := removeAt(parent, name)
	if !full {
		return err
	}
	if err := emptyAt(parent, name); err != nil {
		return err
	}
	return rmdirAt(parent, name)
}

// removeAt removes an entry of a directory if it is not a directory or is an empty one. It
// reports whether the entry is a directory that is not empty.
func removeAt(parent *os.File, name string) (full bool, err error) {
	err = unix.Unlinkat(int(parent.Fd()), name, 0)
	if err == nil || err == unix.ENOENT {
		return false, nil
	}
	fault := &fs.PathError{Op: "unlinkat", Path: name, Err: err}
	// The error for a directory is EISDIR on Linux, EPERM elsewhere.
	if err != unix.EISDIR && err != unix.EPERM && err != unix.EACCES {
		return false, fault
	}
	switch err := rmdirAt(parent, name); {
	case err == nil:
		return false, nil
	case errors.Is(err, unix.ENOTDIR):
		return false, fault
	}
	return true, nil
}

// rmdirAt removes an empty directory inside a directory.
func rmdirAt(parent *os.File, name string) error {
	err := unix.Unlinkat(int(parent.Fd()), name, unix.AT_REMOVEDIR)
	if err == nil || err == unix.ENOENT {
		return nil
	}
	return &fs.PathError{Op: "unlinkat", Path: name, Err: err}
}

// enterByDevice is enterAt for systems on which only the device numbers reveal a mount.
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
