package disk

import (
	"errors"
	"fmt"
	"time"
)

const (
	// retryTime is how long the writer waits before it tries again.
	retryTime = time.Second
	// idleTime is how long the writer sleeps if nothing wakes it.
	idleTime = time.Hour
)

// run writes batches until the store is closed and nothing waits to be written.
func (s *Store) run() {
	defer close(s.ended)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		b, wait := s.take()
		switch {
		case b != nil:
			s.write(b)
		case wait == 0:
			return
		default:
			timer.Reset(wait)
			select {
			case <-s.kick:
			case <-s.hurry:
			case <-timer.C:
			}
		}
	}
}

// take returns the batch to be written now. If there is none, it returns how long to
// wait for one, or 0 if none will come.
func (s *Store) take() (*batch, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.open
	switch {
	case b.empty() && s.closed:
		return nil, 0
	case b.empty() && (len(s.trash) == 0 || s.broken != nil):
		return nil, idleTime
	case !b.empty() && !b.urgent && !s.closed:
		if left := time.Until(b.due); left > 0 {
			return nil, left
		}
	}
	s.open = newBatch(s)
	return b, 0
}

// write writes a batch, and tries again until that succeeds. If the store is closed,
// it tries only once more.
func (s *Store) write(b *batch) {
	for {
		last := s.closing()
		watch := time.AfterFunc(s.patience, func() { s.late(b) })
		err := s.commit(b)
		watch.Stop()
		if err == nil {
			s.written(b)
			return
		}
		s.fail(err)
		if last {
			s.lost = fmt.Errorf("changes of tasks were not stored (%d in all): %w", len(b.tasks), err)
			return
		}
		timer := time.NewTimer(retryTime)
		select {
		case <-timer.C:
		case <-s.hurry:
		}
		timer.Stop()
	}
}

func (s *Store) closing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// commit tries to write a batch. A file that turns out to be damaged is never
// written again, because what bbolt has of it in memory may be damaged too.
func (s *Store) commit(b *batch) error {
	if s.broken != nil {
		return s.broken
	}
	err := guard(s.path, func() error { return s.transact(b) })
	if errors.Is(err, ErrDamaged) {
		s.broken = err
	}
	return err
}

// written marks a batch as durable, and wakes everybody who waits for it or for
// room.
func (s *Store) written(b *batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queued -= b.bytes
	if len(b.tasks) > 0 || len(b.forget) > 0 {
		s.stats.Commits++
	}
	s.stats.Bytes += uint64(b.bytes)
	if s.fault != nil {
		s.log.Info("tasks are stored again", "file", s.path, "dropped", s.stats.Dropped)
		s.fault, s.failed, s.dropping = nil, make(chan struct{}), false
	}
	if s.room != nil && s.queued < s.limit {
		close(s.room)
		s.room = nil
	}
	close(b.done)
}

// late records that the disk does not answer, unless the batch has just become
// durable. When the batch is written later, written clears that fault.
func (s *Store) late(b *batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !b.Done() {
		s.faulty(s.slow())
	}
}

func (s *Store) slow() error {
	return fmt.Errorf("the disk has not answered for %v", s.patience)
}

// fail records that nothing can be written now.
func (s *Store) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faulty(err)
}

// faulty is fail for a caller that holds mu.
func (s *Store) faulty(err error) {
	s.stats.Faults++
	if s.fault == nil {
		s.log.Error("tasks cannot be stored: what happens now is lost if the sidecar ends before that is mended", "file", s.path, "error", err)
		close(s.failed)
	}
	s.fault = fmt.Errorf("tasks cannot be stored: %w", err)
}
