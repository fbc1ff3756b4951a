package audit

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// entry is a record on its way to the file.
type entry struct {
	body []byte
	seq  uint64     // set before done is sent to
	done chan error // gets one value when the record was written, or was not; nil: nobody waits
}

// writer owns the files. Only one goroutine uses it.
type writer struct {
	o    Options
	head head
	key  []byte
	f    *os.File
	size int64 // of what was written whole
	last link
	buf  []byte

	dirty  bool // there is something that the disk may not have
	faulty bool // the last write failed
	// rotateAt is the size at which the next rotation is tried.
	rotateAt int64

	lost  atomic.Uint64 // records of which no record says yet that they are missing
	stats counters
}

// counters are what Stats returns.
type counters struct{ records, bytes, syncs, lost atomic.Uint64 }

// lose counts records that are not written. Any goroutine may call it.
func (w *writer) lose(records int) {
	w.lost.Add(uint64(records))
	w.stats.lost.Add(uint64(records))
}

// commit writes entries and tells those who wait. What cannot be written is lost.
func (w *writer) commit(all []*entry) {
	if w.size >= max(w.o.MaxBytes, w.rotateAt) {
		w.tryRotate()
	}
	err := w.noteLost()
	if err == nil {
		err = w.write(all)
	}
	if err != nil {
		w.lose(len(all))
	}
	w.tell(err)
	for _, e := range all {
		if e.done != nil {
			e.done <- err
		}
	}
}

// tryRotate begins a new file. If that fails, the old one grows by an eighth before it
// is tried again.
func (w *writer) tryRotate() {
	if err := w.rotate(); err != nil {
		w.o.Log.Warn("the audit goes on in its old file", "file", w.o.File, "error", err)
		w.rotateAt = w.size + w.o.MaxBytes/8
		return
	}
	w.rotateAt = 0
}

// noteLost writes how many records are missing.
func (w *writer) noteLost() error {
	n := w.lost.Load()
	if n == 0 {
		return nil
	}
	body, err := (&Record{Event: EventLost, Lost: n}).body()
	if err != nil {
		return err
	}
	if err := w.write([]*entry{{body: body}}); err != nil {
		return err
	}
	w.lost.Add(-n)
	return nil
}

// write appends the entries' lines and notes the new end of the chain in the head file,
// or changes nothing. If the audit is strict and somebody waits, the disk has the lines
// after that.
func (w *writer) write(all []*entry) error {
	if err := w.intact(); err != nil {
		return err
	}
	b, end, now, waits := w.buf[:0], w.last, time.Now(), false
	for _, e := range all {
		b, end = end.next(b, now, e.body)
		e.seq = end.seq
		waits = waits || e.done != nil
	}
	if w.buf = b[:0]; cap(w.buf) > bufferKept {
		w.buf = nil
	}
	if err := w.append(b, end, waits && w.o.Strict); err != nil {
		return errors.Join(err, w.f.Truncate(w.size)) // without half a line
	}
	w.size += int64(len(b))
	w.last = end
	w.stats.records.Add(uint64(len(all)))
	w.stats.bytes.Add(uint64(len(b)))
	return nil
}

// intact returns an error if the file is not where it was, or is shorter than what was written:
// what is written then would be in no file that somebody reads.
func (w *writer) intact() error {
	var there, open syscall.Stat_t
	if err := syscall.Fstat(int(w.f.Fd()), &open); err != nil {
		return err
	}
	switch err := syscall.Stat(w.o.File, &there); {
	case err != nil:
		return fmt.Errorf("the file was removed: %w; put it back, or start again", err)
	case there.Dev != open.Dev || there.Ino != open.Ino:
		return errors.New("another file has taken its place; put it back, or start again")
	case open.Size < w.size:
		return fmt.Errorf("the file was cut from %d to %d bytes; keep what is left elsewhere, and start again", w.size, open.Size)
	}
	return nil
}

func (w *writer) append(lines []byte, end link, durable bool) error {
	if _, err := w.f.WriteAt(lines, w.size); err != nil {
		return err
	}
	w.dirty = true
	if durable {
		if err := w.flush(); err != nil {
			return err
		}
	}
	return w.head.write(end)
}

// flush makes everything durable that was written.
func (w *writer) flush() error {
	w.stats.syncs.Add(1)
	err := w.f.Sync()
	w.dirty = w.dirty && err != nil
	return err
}

// bufferKept is the largest buffer that is kept for the next records, in bytes.
const bufferKept = 1 << 20

// sync flushes if there is something to flush, and tells a failure like one of a write.
func (w *writer) sync() {
	if !w.dirty {
		return
	}
	if err := w.flush(); err != nil {
		w.tell(err)
	}
}

// tell logs when writing begins to fail, and when it works again.
func (w *writer) tell(err error) {
	switch {
	case err != nil && !w.faulty:
		what := "calls go on without records"
		if w.o.Strict {
			what = "calls are refused until it can"
		}
		w.o.Log.Error("the audit cannot be written: "+what, "file", w.o.File, "error", err)
	case err == nil && w.faulty:
		w.o.Log.Warn("the audit is written again", "file", w.o.File)
	}
	w.faulty = err != nil
}

// close writes what the disk may not have and gives the files back.
func (w *writer) close() error {
	var err error
	if w.f != nil {
		err = errors.Join(w.flush(), w.f.Close())
	}
	return errors.Join(err, w.head.close())
}
