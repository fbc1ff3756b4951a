package disk

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// lockTime is how long to wait for another process to release the directory.
	lockTime = time.Second
	lockTick = 10 * time.Millisecond
)

// These are the names in the directory of a store.
const (
	// File holds the tasks.
	File = "tasks.db"
	// LockFile is locked (flock) while a store is open.
	LockFile = "tasks.lock"
)

func filePath(dir string) string { return filepath.Join(dir, File) }

// takeLock makes the directory and locks it for this process. It cannot lock the
// file of tasks itself, because compacting replaces that.
func takeLock(dir string) (*os.File, error) {
	if err := makeDir(dir); err != nil {
		return nil, unwritable(dir, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, LockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, unwritable(dir, err)
	}
	for deadline := time.Now().Add(lockTime); ; {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			f.Close()
			return nil, unwritable(dir, err)
		}
		if time.Now().After(deadline) {
			f.Close()
			return nil, inUse(dir)
		}
		time.Sleep(lockTick)
	}
}

// makeDir makes the directory, for its owner only, and syncs its parent, so that it
// still exists after a crash.
func makeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return syncDir(filepath.Dir(dir))
}

// syncDir makes new entries of a directory survive a crash. A directory that may be
// written into but not read is not synced.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if errors.Is(err, os.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
