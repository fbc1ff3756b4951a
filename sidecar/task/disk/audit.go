package disk

import (
	"errors"
	"strconv"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

var errMissing = errors.New("some of its records are missing")

// audit is what is found out about a task's rows while they are read: a spoiled
// one is left out, and the task's metadata says so.
type audit struct {
	store  *Store
	id     string
	number uint64
	record *task.Record

	bytes   int64 // of all rows that were read
	bad     int
	stopped bool // the reader wanted no more
}

// open returns what a row holds, unless it is spoiled.
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
		a.bad = 1 // the head
	}
	a.bad++
	a.record.Metadata[damagedKey] = strconv.AppendInt(nil, int64(a.bad), 10)
}

// rowBytes is how much a head says that the task's rows take.
func rowBytes(key, kept []byte) int64 {
	value, _ := unseal(key, kept)
	h, _, _ := splitHead(value) // of a spoiled head nothing is compared
	return int64(h.rows)
}

// complete compares with what the head says was written.
func (a *audit) complete(bytes int64) {
	if _, said := a.record.Metadata[damagedKey]; !said && !a.stopped && a.bytes != bytes {
		a.spoiled(errMissing)
	}
}
