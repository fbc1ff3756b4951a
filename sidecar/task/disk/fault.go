package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"syscall"

	bolterrors "go.etcd.io/bbolt/errors"
)

// These errors tell what may be wrong when a store is opened, or afterwards.
var (
	// ErrInUse: another process uses the directory.
	ErrInUse = errors.New("in use by another sidecar")
	// ErrUnwritable: nothing can be kept in the directory.
	ErrUnwritable = errors.New("cannot be written")
	// ErrDamaged: the file is not a store's file, or is not whole.
	ErrDamaged = errors.New("damaged")
	// ErrNewer: the file has a format that this version does not know.
	ErrNewer = errors.New("written by a newer sidecar")
	// ErrClosed: the store has been closed.
	ErrClosed = errors.New("the store is closed")
)

var (
	errShort   = errors.New("a record is too short")
	errForeign = errors.New("a record does not belong to its task")
)

// inUse is the error if another sidecar uses the directory. It says what to do.
func inUse(dir string) error {
	return fmt.Errorf("%s is %w: stop that one, or give this one a directory of its own (--state-dir)", dir, ErrInUse)
}

// damaged is the error if a file cannot be read. It says what to do with the file.
func damaged(path string, why any) error {
	return fmt.Errorf("%s is %w (%v): move it away, and a new one is made", path, ErrDamaged, why)
}

// unwritable is the error if nothing can be kept in a directory. It says why.
func unwritable(dir string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // the directory is named already
	}
	return fmt.Errorf("%s %w: %w", dir, ErrUnwritable, err)
}

// openFault explains an error of opening the file at path.
func openFault(path string, err error) error {
	if errors.Is(err, bolterrors.ErrTimeout) { // a program that does not know of our lock
		return inUse(filepath.Dir(path))
	}
	for _, bad := range []error{bolterrors.ErrInvalid, bolterrors.ErrVersionMismatch, bolterrors.ErrChecksum} {
		if errors.Is(err, bad) {
			return damaged(path, err)
		}
	}
	for _, cannot := range []error{fs.ErrPermission, syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT, syscall.ENOTDIR, syscall.EISDIR} {
		if errors.Is(err, cannot) {
			return unwritable(filepath.Dir(path), err)
		}
	}
	return fmt.Errorf("%s: %w", path, err)
}

// guard runs f, which reads the mapped file. If the file is not as it should be,
// bbolt panics; if the file was cut, access to the memory behind its end faults.
// guard returns both as an error.
func guard(path string, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = damaged(path, p)
		}
	}()
	return f()
}
