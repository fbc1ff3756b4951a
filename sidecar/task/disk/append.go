package disk

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

const (
	// groupTime is how long a change waits for others if nobody waits for it: 50 ms,
	// less what the transaction takes on a slow disk.
	groupTime = 30 * time.Millisecond
	// groupBytes is the size at which a batch is written without waiting for more
	// changes.
	groupBytes = 1 << 20
	// rowCost is how many bytes a row costs besides its value.
	rowCost = 64
)

// encoded is a change as it will be written.
type encoded struct {
	head     []byte
	event    []byte
	messages [][]byte
	bytes    int64 // bytes of event and messages
}

func encode(c *task.Change) encoded {
	var e encoded
	if c.Head != nil {
		e.head = encodeHead(c.Head)
	}
	for _, m := range c.Messages {
		raw := codec.EncodeMessage(nil, m)
		e.messages = append(e.messages, raw)
		e.bytes += int64(len(raw)) + rowCost
	}
	if c.Event != nil {
		e.event = encodeEvent(c.Event)
		e.bytes += int64(len(e.event)) + rowCost
	}
	return e
}

// Append queues a change. While the queue is full it waits, but not beyond the end
// of ctx: then the change is queued all the same. If the store does not know the
// task, as after Forget, a change without a head is not kept.
func (s *Store) Append(ctx context.Context, c *task.Change) task.Commit {
	e := encode(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waitForRoom(ctx)
	if s.closed {
		return settled{ErrClosed}
	}
	number, known := s.index[c.TaskID]
	if !known {
		if c.Head == nil {
			return settled{nil}
		}
		s.task++
		number = s.task
		s.index[c.TaskID] = number
	}
	s.add(number, c, e)
	return s.open
}

// waitForRoom returns when there is room in the queue, or when there is no reason to
// wait any more: a fault, Close, or the end of ctx. mu is held, but not while
// waiting.
func (s *Store) waitForRoom(ctx context.Context) {
	for s.queued >= s.limit && s.fault == nil && !s.closed && ctx.Err() == nil {
		if s.room == nil {
			s.room = make(chan struct{})
		}
		room, failed := s.room, s.failed
		s.mu.Unlock()
		select {
		case <-room:
		case <-failed:
		case <-s.hurry:
		case <-ctx.Done():
		}
		s.mu.Lock()
	}
}

// add puts a change into the open batch. mu is held.
func (s *Store) add(number uint64, c *task.Change, e encoded) {
	b := s.open
	b.begin()
	n := b.of(number, c.TaskID)
	size := int64(len(e.head) - len(n.head))
	if e.head != nil {
		if n.head == nil {
			size += rowCost
		}
		n.head = e.head
		n.last = max(n.last, c.Head.LastEvent)
	} else {
		size = 0
	}
	if s.fault != nil && s.queued+size+e.bytes > s.limit {
		s.drop(n, c, e)
	} else {
		s.addRows(b, number, c, e)
		size += e.bytes
	}
	b.bytes += size
	s.queued += size
	s.stats.Changes++
	if b.bytes >= groupBytes {
		b.urgent = true
	}
	s.wake()
}

func (s *Store) addRows(b *batch, number uint64, c *task.Change, e encoded) {
	for _, raw := range e.messages {
		s.message++
		b.rows = append(b.rows, row{makeKey(number, kindMessage, s.message), raw})
	}
	if e.event != nil {
		b.rows = append(b.rows, row{makeKey(number, kindEvent, c.Event.ID), e.event})
		n := b.tasks[number]
		n.last = max(n.last, c.Event.ID)
	}
}

// drop counts the messages and events that there is no room for while the disk
// fails. mu is held.
func (s *Store) drop(n *news, c *task.Change, e encoded) {
	count := uint64(len(e.messages))
	if e.event != nil {
		count++
		n.last = max(n.last, c.Event.ID)
	}
	if count > 0 && !s.dropping {
		s.dropping = true
		s.log.Error("the queue of what cannot be stored is full: history and events are dropped from now on", "file", s.path, "bytes", s.queued)
	}
	n.dropped += count
	s.stats.Dropped += count
}

// Forget drops tasks. They are not found any more, and the next commit deletes them.
func (s *Store) Forget(ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		number, known := s.index[id]
		if !known {
			continue
		}
		delete(s.index, id)
		if s.open.forget == nil {
			s.open.forget = make(map[uint64]bool)
		}
		s.open.forget[number] = true
		s.open.begin()
	}
	s.wake()
}

// settled is the Commit of a change that is not kept.
type settled struct{ err error }

func (c settled) Wait(context.Context) error { return c.err }
func (c settled) Done() bool                 { return c.err == nil }
