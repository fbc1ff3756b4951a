package disk

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// batch is what one transaction writes. It is the Commit of every change in it.
type batch struct {
	store *Store
	done  chan struct{} // closed when the batch is durable

	// The store's mu guards these until the writer takes the batch.
	rows   []row
	tasks  map[uint64]*news
	forget map[uint64]bool
	bytes  int64
	due    time.Time // when the batch is written at the latest
	urgent bool      // somebody waits for the batch, or it is full

	again bool // the batch has been tried before; only the writer uses it
}

var _ task.Commit = (*batch)(nil)

// news is what changes for one task in a batch.
type news struct {
	id      string
	head    []byte // nil if the head does not change
	last    uint64 // the ID of the task's newest event in the batch
	dropped uint64
}

func newBatch(s *Store) *batch {
	return &batch{store: s, done: make(chan struct{})}
}

func (b *batch) empty() bool { return len(b.tasks) == 0 && len(b.forget) == 0 }

// begin sets the time when the batch is due, if it is not set. The store's mu is
// held.
func (b *batch) begin() {
	if b.due.IsZero() {
		b.due = time.Now().Add(groupTime)
	}
}

// of returns the news of a task, and adds it if there is none. The store's mu is
// held.
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

// Done reports whether the batch is already durable.
func (b *batch) Done() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// Wait makes the writer write the batch at once, and waits until it is durable.
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

// press makes a batch urgent. It returns the fault, or nil if the store can write,
// and a channel that is closed when a fault comes.
func (s *Store) press(b *batch) (<-chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault == nil && !b.urgent {
		b.urgent = true
		s.wake()
	}
	return s.failed, s.fault
}

// wake makes the writer look at the open batch.
func (s *Store) wake() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}
