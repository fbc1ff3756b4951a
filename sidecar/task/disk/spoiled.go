package disk

import (
	"encoding/binary"
	"encoding/json"
	"time"

	"go.etcd.io/bbolt"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// damagedKey is the member of a task's metadata that says how many of its records
// are spoiled.
const damagedKey = "recordsDamaged"

const spoiledText = "the record of this task is damaged: what it was is not known"

// spoiledID returns the id of the task that a spoiled head belongs to, or "" if that
// cannot be told.
func spoiledID(value []byte) string {
	if h, raw, err := splitHead(value); err == nil {
		var said struct{ Task struct{ ID string } }
		if json.Unmarshal(raw, &said) != nil || said.Task.ID == h.id {
			return h.id
		}
	}
	return ""
}

// spoiledHead returns a head for a task whose own head cannot be trusted. The task
// has failed, and its message says why. Its owner, context, turn and time are taken
// from the spoiled head if that can be read.
func spoiledHead(id string, value []byte, last uint64) *task.Head {
	head := &task.Head{ID: id, Seq: 1, LastEvent: last, Bytes: int64(len(value))}
	when := time.Now().UTC()
	if was, err := decodeHead(value); err == nil {
		head.Owner, head.ContextID, head.Turn = was.Owner, was.ContextID, was.Turn
		if was.Status.Timestamp.Before(when) && !was.Status.Timestamp.IsZero() {
			when = was.Status.Timestamp
		}
	}
	head.Status = a2a.Status{State: a2a.StateFailed, Timestamp: when, Message: &a2a.Message{
		ID: a2a.NewID(), TaskID: id, ContextID: head.ContextID, Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(spoiledText)},
	}}
	head.Metadata = a2a.Metadata{damagedKey: json.RawMessage("1")}
	return head
}

// lastEvent returns the ID of a task's newest event, or 0 if it has none.
func lastEvent(log *bbolt.Bucket, number uint64) uint64 {
	c := log.Cursor()
	after := makeKey(number, kindEvent+1, 0)
	k, _ := c.Seek(after[:])
	if k == nil {
		k, _ = c.Last()
	} else {
		k, _ = c.Prev()
	}
	if len(k) != keySize || rowKey(k).number() != number || rowKey(k).kind() != kindEvent {
		return 0
	}
	return rowKey(k).place()
}

// head decodes a task's head. For a spoiled head it returns one that says that the
// record is damaged.
func (s *Store) head(number uint64, id string, kept []byte) (*task.Head, error) {
	value, err := unseal(headKey(number), kept)
	if err == nil {
		var h *task.Head
		if h, err = decodeHead(value); err == nil && h.ID == id {
			return h, nil
		}
		if err == nil {
			err = errForeign
		}
	}
	s.tell(id, number, err)
	last := uint64(0)
	err = s.view(func(_, log *bbolt.Bucket) error {
		last = lastEvent(log, number)
		return nil
	})
	return spoiledHead(id, value, last), err
}

// tell logs once that a task has a spoiled record.
func (s *Store) tell(id string, number uint64, why error) {
	s.mu.Lock()
	told := s.told[number]
	if s.told == nil {
		s.told = map[uint64]bool{}
	}
	s.told[number] = true
	s.mu.Unlock()
	if !told {
		s.log.Error("a record of a task is damaged: the task says so, others are not concerned", "file", s.path, "task", id, "number", number, "error", why)
	}
}

// idOf returns the id of the task that a head belongs to.
func idOf(key, kept []byte) (id string, err error) {
	value, err := unseal(key, kept)
	if err == nil {
		var h header
		if h, _, err = splitHead(value); err == nil {
			return h.id, nil
		}
	}
	return spoiledID(value), err
}

func numberOf(key []byte) uint64 { return binary.BigEndian.Uint64(key) }
