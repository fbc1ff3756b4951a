package disk

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// lockTime is how long another process gets to let go of the directory.
	lockTime = time.Second
	lockTick = 10 * time.Millisecond
)

func filePath(dir string) string { return filepath.Join(dir, "tasks.db") }

// takeLock makes the directory and locks it for this process. The file itself
// cannot be what is locked: compacting replaces it.
func takeLock(dir string) (*os.File, error) {
	if err := makeDir(dir); err != nil {
		return nil, unwritable(dir, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "tasks.lock"), os.O_CREATE|os.O_RDWR, 0o600)
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

// makeDir makes the directory, for its owner only, so that it is there after a
// crash too.
func makeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return syncDir(filepath.Dir(dir))
}

// syncDir makes a new entry of a directory last. Not every directory that may
// be written into may be read.
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
