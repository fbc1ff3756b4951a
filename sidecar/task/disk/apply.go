package disk

import (
	"go.etcd.io/bbolt"
)

// The buckets of the file.
const (
	bucketMeta  = "meta"
	bucketHeads = "heads"
	bucketLog   = "log"
)

// purgeRows is how many rows of forgotten tasks one transaction deletes.
const purgeRows = 2000

// fillPercent is how full a page of the log is before the next one is begun. Rows
// are mostly added after the last row of a task, and rarely in between.
const fillPercent = 0.9

// transact writes a batch, and deletes a part of the trash.
func (s *Store) transact(b *batch) error {
	cleared := 0
	err := s.db.Update(func(tx *bbolt.Tx) (err error) {
		w := writing{batch: b, heads: tx.Bucket([]byte(bucketHeads)), log: tx.Bucket([]byte(bucketLog)), added: map[uint64]uint64{}}
		w.log.FillPercent = fillPercent
		if err := w.putRows(); err != nil {
			return err
		}
		if err := w.putHeads(); err != nil {
			return err
		}
		if cleared, err = purge(w.log, s.trash); err != nil {
			return err
		}
		return w.forgetHeads()
	})
	b.again = true
	if err != nil {
		return err
	}
	s.trash = s.trash[cleared:]
	for number := range b.forget {
		s.trash = append(s.trash, number)
	}
	return nil
}

// writing is a batch that is being written into the buckets. It may be written
// twice: a transaction that failed may have been written all the same.
type writing struct {
	*batch
	heads, log *bbolt.Bucket
	added      map[uint64]uint64 // bytes of rows, by the task's number
}

func (w *writing) putRows() error {
	var newest uint64
	for i := range w.rows {
		r := &w.rows[i]
		number := r.key.number()
		if w.forget[number] {
			continue
		}
		if !w.again || w.log.Get(r.key[:]) == nil {
			w.added[number] += uint64(len(r.key) + len(r.value) + sealSize)
		}
		if err := w.log.Put(r.key[:], seal(r.key[:], r.value)); err != nil {
			return err
		}
		if r.key.kind() == kindMessage {
			newest = r.key.place()
		}
	}
	if newest > w.log.Sequence() {
		return w.log.SetSequence(newest)
	}
	return nil
}

func (w *writing) putHeads() error {
	for number, n := range w.tasks {
		if w.forget[number] {
			continue
		}
		key := headKey(number)
		h, raw := header{id: n.id}, []byte(nil)
		if old := w.heads.Get(key); old != nil {
			value, err := unseal(key, old)
			if err == nil {
				h, raw, err = splitHead(value)
			}
			if err != nil {
				if n.head == nil {
					continue // a spoiled head stays as it is
				}
				h, raw = header{id: n.id}, nil
			}
		}
		h.rows += w.added[number]
		h.last = max(h.last, n.last)
		h.dropped += n.dropped
		if n.head != nil {
			raw = n.head
		}
		value := h.append(make([]byte, 0, headerSize+len(h.id)+len(raw)))
		if err := w.heads.Put(key, seal(key, append(value, raw...))); err != nil {
			return err
		}
	}
	return nil
}

func (w *writing) forgetHeads() error {
	for number := range w.forget {
		if err := w.heads.Delete(headKey(number)); err != nil {
			return err
		}
	}
	return nil
}

// purge deletes up to purgeRows rows of forgotten tasks. It returns how many tasks
// have no rows left.
func purge(log *bbolt.Bucket, trash []uint64) (cleared int, err error) {
	left := purgeRows
	for _, number := range trash {
		// Deleting under a cursor moves it, so the keys are collected first.
		var keys []rowKey
		c := log.Cursor()
		from := makeKey(number, 0, 0)
		for k, _ := c.Seek(from[:]); len(k) == keySize && rowKey(k).number() == number && len(keys) < left; k, _ = c.Next() {
			keys = append(keys, rowKey(k))
		}
		for i := range keys {
			if err := log.Delete(keys[i][:]); err != nil {
				return cleared, err
			}
		}
		if left -= len(keys); left <= 0 {
			break // this task may have more rows
		}
		cleared++
	}
	return cleared, nil
}

func headKey(number uint64) []byte {
	k := makeKey(number, 0, 0)
	return k[:headKeySize]
}

const headKeySize = 8
