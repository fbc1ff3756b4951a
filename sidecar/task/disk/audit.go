package disk

import (
	"errors"
	"strconv"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

var errMissing = errors.New("some of its records are missing")

// audit collects what is found out about a task's rows while they are read. A
// spoiled row is left out, and the task's metadata says so.
type audit struct {
	store  *Store
	id     string
	number uint64
	record *task.Record

	bytes   int64 // bytes of all rows that were read
	bad     int
	stopped bool // the reader wanted no more
}

// open returns the value of a row. ok is false if the row is spoiled.
func (a *audit) open(r row) (raw []byte, ok bool) {
	a.bytes += int64(len(r.key) + len(r.value))
	raw, err := unseal(r.key[:], r.value)
	if err != nil {
		a.spoiled(err)
	}
	return raw, err == nil
}

func (a *audit) spoiled(why error) {
	a.store.tell(a.id, a.number, why)
	if a.record.Metadata == nil {
		a.record.Metadata = a2a.Metadata{}
	}
	if _, said := a.record.Metadata[damagedKey]; said && a.bad == 0 {
		a.bad = 1 // the spoiled head, which the metadata counts already
	}
	a.bad++
	a.record.Metadata[damagedKey] = strconv.AppendInt(nil, int64(a.bad), 10)
}

// rowBytes is how many bytes the task's rows take according to its head.
func rowBytes(key, kept []byte) int64 {
	value, _ := unseal(key, kept)
	h, _, _ := splitHead(value) // a spoiled head is not compared
	return int64(h.rows)
}

// complete compares the bytes that were read with the bytes that the head says were
// written.
func (a *audit) complete(bytes int64) {
	if _, said := a.record.Metadata[damagedKey]; !said && !a.stopped && a.bytes != bytes {
		a.spoiled(errMissing)
	}
}
