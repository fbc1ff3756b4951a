package disk

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"

	"go.etcd.io/bbolt"
)

// format is the version of the file's format.
const format = 2

const keyFormat = "format"

// load opens the file, makes it if it does not exist, and learns what is in it. The
// lock is held.
func (s *Store) load() error {
	if err := os.Remove(s.path + newSuffix); err != nil && !errors.Is(err, os.ErrNotExist) {
		return openFault(s.path, err)
	}
	switch info, err := os.Stat(s.path); {
	case errors.Is(err, os.ErrNotExist):
		if err := create(s.path); err != nil {
			return openFault(s.path, err)
		}
	case err != nil:
		return openFault(s.path, err)
	case info.Size() == 0: // bbolt would make a new file of it
		return damaged(s.path, "it is empty")
	}
	switch spoiled, err := checkMeta(s.path); {
	case err != nil:
		return damaged(s.path, err)
	case spoiled:
		s.log.Warn("a page of the file of tasks is damaged that is not needed: the next change writes it anew", "file", s.path)
	}
	if err := guard(s.path, func() error { return checkPages(s.path) }); err != nil {
		if errors.Is(err, ErrDamaged) {
			return err
		}
		return damaged(s.path, err)
	}
	db, err := openFile(s.path)
	if err != nil {
		return err
	}
	if db, err = s.compact(db); err != nil {
		return err
	}
	s.db = db
	if err := guard(s.path, func() error { return errors.Join(s.upgrade(), s.learn()) }); err != nil {
		db.Close()
		return err
	}
	return nil
}

// upgrade marks a file as one of this format, since an older sidecar would misread
// it. The records in it stay as they were until they are written again.
func (s *Store) upgrade() error {
	said := ""
	err := s.db.View(func(tx *bbolt.Tx) error {
		said = string(tx.Bucket([]byte(bucketMeta)).Get([]byte(keyFormat)))
		return nil
	})
	if err != nil || said == strconv.Itoa(format) {
		return err
	}
	err = s.db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(bucketMeta)).Put([]byte(keyFormat), []byte(strconv.Itoa(format)))
	})
	if err != nil {
		return openFault(s.path, err)
	}
	return nil
}

// newSuffix is added to the name of a file that is not complete yet.
const newSuffix = ".new"

// create makes an empty file. The file gets its name when it is complete.
func create(path string) error {
	db, err := bbolt.Open(path+newSuffix, 0o600, &bbolt.Options{Timeout: lockTime})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range []string{bucketMeta, bucketHeads, bucketLog} {
			if _, err := tx.CreateBucket([]byte(name)); err != nil {
				return err
			}
		}
		return tx.Bucket([]byte(bucketMeta)).Put([]byte(keyFormat), []byte(strconv.Itoa(format)))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	return rename(path)
}

// openFile opens an existing file and checks that it is a store's file.
func openFile(path string) (db *bbolt.DB, err error) {
	err = guard(path, func() error {
		if db, err = bbolt.Open(path, 0o600, options()); err != nil {
			return openFault(path, err)
		}
		return db.View(func(tx *bbolt.Tx) error { return check(path, tx) })
	})
	if err != nil && db != nil {
		db.Close()
	}
	return db, err
}

// options are bbolt's. bbolt locks the file as well; that second lock is for
// programs that do not know of ours.
func options() *bbolt.Options {
	return &bbolt.Options{Timeout: lockTime, FreelistType: bbolt.FreelistMapType}
}

func check(path string, tx *bbolt.Tx) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() < tx.Size() {
		return damaged(path, fmt.Sprintf("%d bytes of %d are there", info.Size(), tx.Size()))
	}
	meta := tx.Bucket([]byte(bucketMeta))
	if meta == nil {
		return damaged(path, "it has no tasks in it")
	}
	version, err := strconv.Atoi(string(meta.Get([]byte(keyFormat))))
	switch {
	case err != nil:
		return damaged(path, "it does not say its format")
	case version > format:
		return fmt.Errorf("%s was %w (format %d, this one knows %d): use that one, or move the file away", path, ErrNewer, version, format)
	case tx.Bucket([]byte(bucketHeads)) == nil || tx.Bucket([]byte(bucketLog)) == nil:
		return damaged(path, "it has no tasks in it")
	}
	return nil
}

// learn reads the tasks' numbers. It also finds rows of forgotten tasks that were
// not deleted before the process ended.
func (s *Store) learn() error {
	return s.db.View(func(tx *bbolt.Tx) error {
		heads, log := tx.Bucket([]byte(bucketHeads)), tx.Bucket([]byte(bucketLog))
		s.message = log.Sequence()
		err := heads.ForEach(func(key, value []byte) error {
			id, err := "", errShort
			if len(key) == headKeySize {
				id, err = idOf(key, value)
				s.task = max(s.task, numberOf(key))
			}
			if id == "" {
				s.log.Error("a task is lost: its record is damaged, and its id cannot be read; others are not concerned", "file", s.path, "key", hex.EncodeToString(key), "error", err)
				return nil
			}
			s.index[id] = numberOf(key)
			return nil
		})
		if err != nil {
			return err
		}
		c := log.Cursor()
		for k, _ := c.First(); k != nil; {
			if len(k) != keySize {
				s.log.Error("a record of a task is damaged: nobody can tell whose it was", "file", s.path, "key", hex.EncodeToString(k))
				k, _ = c.Next()
				continue
			}
			number := rowKey(k).number()
			if heads.Get(headKey(number)) == nil {
				s.trash = append(s.trash, number)
			}
			s.task = max(s.task, number)
			next := makeKey(number+1, 0, 0)
			k, _ = c.Seek(next[:])
		}
		return nil
	})
}
