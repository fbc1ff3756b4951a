package disk

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// batch is what one transaction writes, and the Commit of every change in it.
type batch struct {
	store *Store
	done  chan struct{} // closed when it is durable

	// The store's mu guards these until the writer takes the batch.
	rows   []row
	tasks  map[uint64]*news
	forget map[uint64]bool
	bytes  int64
	due    time.Time // when it is written at the latest
	urgent bool      // somebody waits, or it is full

	again bool // it has been tried; the writer's own
}

var _ task.Commit = (*batch)(nil)

// news is what becomes of one task in a batch.
type news struct {
	id      string
	head    []byte // nil: as it is
	last    uint64 // the ID of its newest event here
	dropped uint64
}

func newBatch(s *Store) *batch {
	return &batch{store: s, done: make(chan struct{})}
}

func (b *batch) empty() bool { return len(b.tasks) == 0 && len(b.forget) == 0 }

// begin notes when the batch is due. The store's mu is held.
func (b *batch) begin() {
	if b.due.IsZero() {
		b.due = time.Now().Add(groupTime)
	}
}

// of returns the news of a task. The store's mu is held.
func (b *batch) of(number uint64, id string) *news {
	n, ok := b.tasks[number]
	if !ok {
		if b.tasks == nil {
			b.tasks = make(map[uint64]*news)
		}
		n = &news{id: id}
		b.tasks[number] = n
	}
	return n
}

// Done reports whether the batch is durable already.
func (b *batch) Done() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// Wait has the batch written at once and waits for it.
func (b *batch) Wait(ctx context.Context) error {
	for {
		if b.Done() {
			return nil
		}
		failed, fault := b.store.press(b)
		if fault != nil {
			if b.Done() {
				return nil
			}
			return fault
		}
		select {
		case <-b.done:
			return nil
		case <-failed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// press makes a batch urgent. It returns why nothing can be written, or what is
// closed when that comes.
func (s *Store) press(b *batch) (<-chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault == nil && !b.urgent {
		b.urgent = true
		s.wake()
	}
	return s.failed, s.fault
}

// wake has the writer look at what there is.
func (s *Store) wake() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}
