package disk

import "go.etcd.io/bbolt"

// SetMaxSize makes the file fail to grow beyond a size, as on a full disk; 0
// makes room again.
func (s *Store) SetMaxSize(n int) error {
	return s.db.Update(func(*bbolt.Tx) error {
		s.db.MaxSize = n
		return nil
	})
}

// Rows counts the rows of the log.
func Rows(s *Store) (n int) {
	err := s.view(func(_, log *bbolt.Bucket) error {
		n = log.Stats().KeyN
		return nil
	})
	if err != nil {
		panic(err)
	}
	return n
}

// Hold keeps the writer from writing until the function it returns is called.
func Hold(s *Store) func() {
	tx, err := s.db.Begin(true)
	if err != nil {
		panic(err)
	}
	return func() {
		if err := tx.Rollback(); err != nil {
			panic(err)
		}
	}
}
