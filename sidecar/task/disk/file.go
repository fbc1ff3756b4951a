package disk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"

	"go.etcd.io/bbolt"
)

// format is the version of what is in the file.
const format = 1

const keyFormat = "format"

// load opens the file, which is made when it is not there, and learns what is
// in it. The lock is held.
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
	case info.Size() == 0: // bbolt would make a new one of it
		return damaged(s.path, "it is empty")
	}
	db, err := openFile(s.path)
	if err != nil {
		return err
	}
	if db, err = s.compact(db); err != nil {
		return err
	}
	s.db = db
	if err := guard(s.path, s.learn); err != nil {
		db.Close()
		return err
	}
	return nil
}

// newSuffix is added to the name of a file in the making.
const newSuffix = ".new"

// create makes an empty file. It gets its name when it is whole.
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

// openFile opens a file that is there and finds out whether it is one of ours.
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

// options: the lock of the file is a second one, for programs that do not know
// of ours.
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

// learn reads the tasks' numbers, and finds rows that have outlived theirs: the
// process ended before they were cleared away.
func (s *Store) learn() error {
	return s.db.View(func(tx *bbolt.Tx) error {
		heads, log := tx.Bucket([]byte(bucketHeads)), tx.Bucket([]byte(bucketLog))
		s.message = log.Sequence()
		err := heads.ForEach(func(key, value []byte) error {
			h, _, err := splitHead(value)
			if err != nil || len(key) != 8 {
				return damaged(s.path, "a task's head is too short")
			}
			number := binary.BigEndian.Uint64(key)
			s.index[h.id] = number
			s.task = max(s.task, number)
			return nil
		})
		if err != nil {
			return err
		}
		c := log.Cursor()
		for k, _ := c.First(); k != nil; {
			if len(k) != keySize {
				return damaged(s.path, "a row's key is too short")
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
