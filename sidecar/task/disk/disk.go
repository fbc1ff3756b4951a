package disk

import (
	"log/slog"
	"os"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Options say where and how much.
type Options struct {
	// Dir is made when it is not there, for its owner only.
	Dir string
	// Queue is how many bytes may wait to be written. 0 means 8 MiB.
	Queue int64
	// Patience is how long the disk may take for one transaction until it
	// counts as one that cannot write, and how long Close waits for it. 0 means
	// 10 s.
	Patience time.Duration
	// Log is told when writing begins to fail and when it works again. nil:
	// nobody is.
	Log *slog.Logger
}

const (
	defaultQueue    = 8 << 20
	defaultPatience = 10 * time.Second
)

// Store is a task.Store in a file.
type Store struct {
	path     string
	limit    int64
	patience time.Duration
	log      *slog.Logger
	db       *bbolt.DB
	lock     *os.File

	kick  chan struct{} // the writer has something to look at
	hurry chan struct{} // closed by Close
	ended chan struct{} // closed when the writer has ended

	// mu guards all below. It is never held while the file is touched.
	mu       sync.Mutex
	index    map[string]uint64 // the tasks' numbers
	task     uint64            // the newest task's number
	message  uint64            // the newest message's place
	open     *batch            // what comes next
	queued   int64             // bytes of what is not written yet
	room     chan struct{}     // closed when there is room again; nil: nobody waits
	fault    error             // why nothing can be written
	failed   chan struct{}     // closed while there is a fault
	told     map[uint64]bool   // numbers of tasks of which a spoiled record was told
	dropping bool              // since the fault there was no room for something
	closed   bool
	stats    Stats

	// trash are numbers of forgotten tasks whose rows are still there. The
	// writer's own.
	trash []uint64
	// broken says why the file must not be touched any more, lost what could not
	// be written before the writer ended. Its own, too.
	broken, lost error
}

var _ task.Store = (*Store)(nil)

// Stats count what a store has done since it was opened.
type Stats struct {
	Changes uint64 // appended
	Commits uint64 // transactions that wrote them
	Bytes   uint64 // of rows and heads written
	Faults  uint64 // transactions that went wrong
	Dropped uint64 // messages and events that there was no room for
	Queued  int64  // bytes that wait now
}

// Open opens the store of a directory and takes its lock, for which it waits
// a second. Errors: ErrInUse, ErrUnwritable, ErrDamaged, ErrNewer, with what to
// do about it.
func Open(o Options) (*Store, error) {
	if o.Queue == 0 {
		o.Queue = defaultQueue
	}
	if o.Patience == 0 {
		o.Patience = defaultPatience
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	lock, err := takeLock(o.Dir)
	if err != nil {
		return nil, err
	}
	s := &Store{
		path: filePath(o.Dir), limit: o.Queue, patience: o.Patience, log: o.Log, lock: lock, index: map[string]uint64{},
		kick: make(chan struct{}, 1), hurry: make(chan struct{}), ended: make(chan struct{}), failed: make(chan struct{}),
	}
	s.open = newBatch(s)
	if err := s.load(); err != nil {
		lock.Close()
		return nil, err
	}
	go s.run()
	return s, nil
}

// Close writes what waits, lets go of the file and returns what could not be
// written. Changes appended later are not kept. A disk that does not answer is
// not waited for: the file and its lock then go with the process.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		<-s.ended
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	close(s.hurry)
	timer := time.NewTimer(s.patience)
	defer timer.Stop()
	select {
	case <-s.ended:
	case <-timer.C:
		return s.slow()
	}

	err := s.lost
	if s.broken == nil { // else its own lock may never be released
		if closeErr := s.db.Close(); err == nil {
			err = closeErr
		}
	}
	if closeErr := s.lock.Close(); err == nil {
		err = closeErr
	}
	return err
}

// Err says why the store cannot write now, nil when it can.
func (s *Store) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}

// Stats returns the counts.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.stats
	stats.Queued = s.queued
	return stats
}
