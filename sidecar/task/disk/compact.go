package disk

import (
	"errors"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// A file never shrinks by itself. At the start it is written anew if it is larger
// than compactSize and than compactRatio times its content.
const (
	compactSize  = 16 << 20
	compactRatio = 4
)

// compact returns the store's file, written anew if that pays. If compacting fails,
// it returns the old file. The lock is held.
func (s *Store) compact(db *bbolt.DB) (*bbolt.DB, error) {
	size, used, err := extent(s.path, db)
	if err != nil {
		return nil, errors.Join(openFault(s.path, err), db.Close())
	}
	if size <= compactSize || size <= compactRatio*used {
		return db, nil
	}
	if err := guard(s.path, func() error { return rewrite(s.path+newSuffix, db) }); err != nil {
		s.log.Warn("the file of tasks cannot be compacted", "file", s.path, "bytes", size, "used", used, "error", err)
		if err := os.Remove(s.path + newSuffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			s.log.Warn("a file in the making is left", "error", err)
		}
		return db, nil
	}
	if err := errors.Join(db.Close(), rename(s.path)); err != nil {
		return nil, openFault(s.path, err)
	}
	s.log.Debug("the file of tasks was compacted", "file", s.path, "bytes", size, "used", used)
	return openFile(s.path)
}

// extent returns the length of the file, and how many bytes of it are not free.
func extent(path string, db *bbolt.DB) (size, used int64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	err = db.View(func(tx *bbolt.Tx) error {
		used = tx.Size() - int64(db.Stats().FreePageN)*int64(db.Info().PageSize)
		return nil
	})
	return info.Size(), used, err
}

// rewrite copies the content of a file to another one, and syncs that.
func rewrite(path string, from *bbolt.DB) error {
	to, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockTime, NoSync: true, NoGrowSync: true})
	if err != nil {
		return err
	}
	err = bbolt.Compact(to, from, readBytes)
	if err == nil {
		err = to.Sync()
	}
	return errors.Join(err, to.Close())
}

// rename gives the new file its final name.
func rename(path string) error {
	if err := os.Rename(path+newSuffix, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}
