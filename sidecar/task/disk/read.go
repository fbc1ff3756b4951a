package disk

import (
	"slices"
	"sort"

	"go.etcd.io/bbolt"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// readBytes is about how many bytes one transaction of a reader copies.
const readBytes = 1 << 20

// Heads returns what is kept of every task, the oldest status first.
func (s *Store) Heads() ([]task.Head, error) {
	var keys, values [][]byte
	err := s.view(func(heads, _ *bbolt.Bucket) error {
		return heads.ForEach(func(key, value []byte) error {
			keys, values = append(keys, slices.Clone(key)), append(values, slices.Clone(value))
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	all := make([]task.Head, 0, len(values))
	for i, value := range values {
		if len(keys[i]) != headKeySize {
			continue // learn has logged it
		}
		id, _ := idOf(keys[i], value)
		number := numberOf(keys[i])
		if known, err := s.find(id); err != nil || known != number {
			continue // forgotten, or without a known task, which learn has logged
		}
		h, err := s.head(number, id, value)
		if err != nil {
			return nil, err
		}
		all = append(all, *h)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Seq < all[j].Seq })
	return all, nil
}

// Load returns what is kept of a task, as it was at one moment, with its newest
// messages, up to about history bytes of them.
func (s *Store) Load(id string, history int64, each func(*task.Stored) bool) (*task.Record, error) {
	number, err := s.find(id)
	if err != nil {
		return nil, err
	}
	var value []byte
	var messages uint64
	err = s.view(func(heads, log *bbolt.Bucket) error {
		value, messages = slices.Clone(heads.Get(headKey(number))), log.Sequence()
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case value == nil:
		return nil, a2a.ErrTaskNotFound // not durable yet
	}
	head, err := s.head(number, id, value)
	if err != nil {
		return nil, err
	}
	record := &task.Record{Head: *head}
	seen := audit{store: s, id: id, number: number, record: record}
	var newest [][]byte
	err = s.scan(number, kindMessage, 0, messages, func(r row) (bool, error) {
		raw, ok := seen.open(r)
		if !ok {
			return true, nil
		}
		newest = append(newest, raw)
		history -= int64(len(raw))
		for history < 0 && len(newest) > 1 {
			history += int64(len(newest[0]))
			newest = newest[1:]
			record.Dropped++
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	for _, raw := range newest {
		m, err := codec.DecodeMessage(raw)
		if err != nil {
			seen.spoiled(err)
			continue
		}
		record.History = append(record.History, *m)
	}
	if each == nil {
		return record, nil
	}
	err = s.scan(number, kindEvent, 0, head.LastEvent, func(r row) (bool, error) {
		raw, ok := seen.open(r)
		if !ok {
			return true, nil
		}
		e, err := decodeEvent(row{r.key, raw})
		if err != nil {
			seen.spoiled(err)
			return true, nil
		}
		seen.stopped = !each(e)
		return !seen.stopped, nil
	})
	if err != nil {
		return nil, err
	}
	seen.complete(rowBytes(headKey(number), value))
	return record, nil
}

// Events returns the events of a task that come after the ID after. If some were
// dropped, or are damaged, their IDs are missing.
func (s *Store) Events(id string, after uint64, limit int) ([]*a2a.Event, error) {
	number, err := s.find(id)
	if err != nil {
		return nil, err
	}
	rows, err := s.rows(number, kindEvent, after, ^uint64(0), limit)
	if err != nil {
		return nil, err
	}
	events := make([]*a2a.Event, 0, len(rows))
	for _, r := range rows {
		raw, err := unseal(r.key[:], r.value)
		if err == nil {
			var e *task.Stored
			if e, err = decodeEvent(row{r.key, raw}); err == nil {
				events = append(events, e.Event)
			}
		}
		if err != nil {
			s.tell(id, number, err)
		}
	}
	return events, nil
}

func (s *Store) find(id string) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	number, known := s.index[id]
	if !known {
		return 0, a2a.ErrTaskNotFound
	}
	return number, nil
}

// scan passes the rows of a kind with places after after, up to last, to each until
// it returns false. It holds no transaction while each runs.
func (s *Store) scan(number uint64, kind byte, after, last uint64, each func(row) (bool, error)) error {
	for after < last {
		rows, err := s.rows(number, kind, after, last, readBytes)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, r := range rows {
			if more, err := each(r); err != nil || !more {
				return err
			}
		}
		after = rows[len(rows)-1].key.place()
	}
	return nil
}

// rows copies rows of a kind with places after after, up to last: about limit bytes
// of them, and at least one if there is one.
func (s *Store) rows(number uint64, kind byte, after, last uint64, limit int) (all []row, err error) {
	err = s.view(func(heads, log *bbolt.Bucket) error {
		if heads.Get(headKey(number)) == nil {
			return a2a.ErrTaskNotFound // forgotten meanwhile, or not durable yet
		}
		c := log.Cursor()
		from := makeKey(number, kind, after+1)
		for k, v := c.Seek(from[:]); len(k) == keySize; k, v = c.Next() {
			key := rowKey(k)
			if key.number() != number || key.kind() != kind || key.place() > last || len(all) > 0 && len(v) > limit {
				return nil
			}
			limit -= len(v)
			all = append(all, row{key, slices.Clone(v)})
		}
		return nil
	})
	return all, err
}

// view runs f in a transaction that sees only what is durable.
func (s *Store) view(f func(heads, log *bbolt.Bucket) error) error {
	return guard(s.path, func() error {
		return s.db.View(func(tx *bbolt.Tx) error {
			return f(tx.Bucket([]byte(bucketHeads)), tx.Bucket([]byte(bucketLog)))
		})
	})
}
