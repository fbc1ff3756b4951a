package disk

import (
	"log/slog"
	"os"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Options say where tasks are kept and within which limits.
type Options struct {
	// Dir is the store's directory. It is made if it does not exist, for its owner
	// only.
	Dir string
	// Queue is how many bytes may wait to be written. 0 means 8 MiB.
	Queue int64
	// Patience is how long one transaction may take before the disk counts as one
	// that cannot write, and how long Close waits for the disk. 0 means 10 s.
	Patience time.Duration
	// Log is told when writing begins to fail and when it works again. nil means no
	// log.
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

	kick  chan struct{} // wakes the writer
	hurry chan struct{} // closed by Close
	ended chan struct{} // closed when the writer has ended

	// mu guards all fields below except trash, broken and lost. It is never held
	// while the file is touched.
	mu       sync.Mutex
	index    map[string]uint64 // the tasks' numbers
	task     uint64            // the newest task's number
	message  uint64            // the newest message's place
	open     *batch            // the batch that changes are added to
	queued   int64             // bytes that are not written yet
	room     chan struct{}     // closed when there is room again; nil if nobody waits
	fault    error             // why nothing can be written; nil if writing works
	failed   chan struct{}     // closed while the store has a fault
	told     map[uint64]bool   // numbers of the tasks whose spoiled record was logged
	dropping bool              // something was dropped since the fault
	closed   bool
	stats    Stats

	// trash holds the numbers of forgotten tasks whose rows are still in the file.
	// Only the writer uses it.
	trash []uint64
	// broken says why the file must not be touched any more. lost says what could
	// not be written before the writer ended. The writer sets both.
	broken, lost error
}

var _ task.Store = (*Store)(nil)

// Stats count what a store has done since it was opened.
type Stats struct {
	Changes uint64 // changes appended
	Commits uint64 // transactions that wrote them
	Bytes   uint64 // bytes of rows and heads written
	Faults  uint64 // transactions that failed
	Dropped uint64 // messages and events dropped because there was no room
	Queued  int64  // bytes that wait to be written now
}

// Open opens the store of a directory and takes its lock, for which it waits up to a
// second. The errors are ErrInUse, ErrUnwritable, ErrDamaged and ErrNewer; their
// texts say what to do.
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

// Close writes the changes that wait, closes the file and returns the error if some
// could not be written. Changes appended later are not kept. Close does not wait for
// a disk that does not answer: the file and its lock then stay open until the
// process ends.
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
	if s.broken == nil { // otherwise its own lock may never be released
		if closeErr := s.db.Close(); err == nil {
			err = closeErr
		}
	}
	if closeErr := s.lock.Close(); err == nil {
		err = closeErr
	}
	return err
}

// Err returns why the store cannot write now, or nil if it can.
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
