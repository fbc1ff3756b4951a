package console

import (
	"context"
	"sync"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// streamSize is how much of a terminal's output is kept for watchers, in bytes. A
// watcher that is further behind gets a fresh picture instead.
const streamSize = 256 << 10

// frameSize is the largest size of one frame, in bytes.
const frameSize = 32 << 10

// stream keeps the last part of a terminal's output. Its lock is Console.feeding;
// only more has a lock of its own.
type stream struct {
	ring  []byte
	total uint64 // bytes so far, which is the offset of the next byte
	epoch int    // counts the changes of size, which only a new picture can show
	since uint64 // total at the last change of size

	mu   sync.Mutex
	more chan struct{} // closed at the next byte
}

// add appends a chunk.
func (s *stream) add(chunk []byte) {
	if s.ring == nil {
		s.ring = make([]byte, streamSize)
	}
	from := chunk
	if len(from) > streamSize {
		s.total += uint64(len(from) - streamSize)
		from = from[len(from)-streamSize:]
	}
	for len(from) > 0 {
		n := copy(s.ring[s.total%streamSize:], from)
		s.total += uint64(n)
		from = from[n:]
	}
	s.wake()
}

// redrawn makes every watcher start again from a picture, because the size has
// changed.
func (s *stream) redrawn() {
	s.epoch++
	s.since = s.total
	s.wake()
}

// from returns a copy of the bytes from offset on, at most n of them. They must
// still be kept.
func (s *stream) from(offset uint64, n int) []byte {
	b := make([]byte, 0, min(uint64(n), s.total-offset))
	for len(b) < cap(b) {
		at := (offset + uint64(len(b))) % streamSize
		b = append(b, s.ring[at:min(streamSize, at+uint64(cap(b)-len(b)))]...)
	}
	return b
}

// has reports whether the output from offset on is still kept and is all that a
// watcher needs who has seen what came before it.
func (s *stream) has(offset uint64) bool {
	return offset <= s.total && s.total-offset <= streamSize && (s.epoch == 0 || offset > s.since)
}

func (s *stream) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.more)
	s.more = make(chan struct{})
}

// Frame is a piece of a terminal's output for a watcher.
type Frame struct {
	// Offset is the offset of the first of Bytes in the session's output. With
	// Redraw, it is the offset of the byte that comes after the picture.
	Offset uint64
	// Bytes are what the agent wrote, at most 32 KiB.
	Bytes []byte
	// Redraw, if it is not nil, draws the whole screen on an empty terminal of
	// Snapshot's size. It is set in the first frame, and whenever the watcher was
	// too far behind or the size has changed. Bytes is then empty.
	Redraw   []byte
	Snapshot term.Snapshot
}

// Tap follows the output of one session's terminal. It never blocks the agent: a
// watcher that is slow misses bytes and gets a picture instead. A Tap is for one
// goroutine.
type Tap struct {
	c    *Console
	next uint64
	over context.Context // ends with the session
	// epoch is the stream's epoch at the last picture, -1 if a picture is due.
	epoch int
	again chan struct{} // a picture is wanted
}

// shown returns the offset up to which the output is in a picture. The lock of the
// stream is held.
func (c *Console) shown() uint64 { return c.stream.total - uint64(c.screen.Pending()) }

// Follow returns a new Tap, which ends with over.
func (c *Console) Follow(over context.Context) *Tap {
	return &Tap{c: c, over: over, epoch: -1, again: make(chan struct{}, 1)}
}

// From makes the Tap continue with the byte at offset, without a picture, if all
// the output since then is still kept.
func (t *Tap) From(offset uint64) {
	t.c.feeding.Lock()
	defer t.c.feeding.Unlock()
	if s := &t.c.stream; s.has(offset) {
		t.next, t.epoch = offset, s.epoch
	}
}

// Redraw makes the next frame a picture. It may be called from any goroutine.
func (t *Tap) Redraw() {
	select {
	case t.again <- struct{}{}:
	default:
	}
}

// Next waits for the next frame. After the last byte, the error is the cause of the
// end of ctx or of the session (see Ended).
func (t *Tap) Next(ctx context.Context) (Frame, error) {
	for {
		t.c.stream.mu.Lock()
		more := t.c.stream.more
		t.c.stream.mu.Unlock()
		if f, ok := t.take(); ok {
			return f, nil
		}
		select {
		case <-more:
		case <-t.again:
			t.epoch = -1
		case <-ctx.Done():
			return Frame{}, context.Cause(ctx)
		case <-t.over.Done():
			if f, ok := t.take(); ok {
				return f, nil
			}
			return Frame{}, context.Cause(t.over)
		}
	}
}

// take returns the next frame and reports whether there is one.
func (t *Tap) take() (Frame, bool) {
	c := t.c
	c.feeding.Lock()
	defer c.feeding.Unlock()
	s := &c.stream
	switch {
	case t.epoch != s.epoch, s.total-t.next > streamSize:
	case t.next < s.total:
		f := Frame{Offset: t.next, Bytes: s.from(t.next, frameSize)}
		t.next += uint64(len(f.Bytes))
		return f, true
	default:
		return Frame{}, false
	}
	t.epoch, t.next = s.epoch, c.shown()
	return Frame{Offset: t.next, Redraw: c.screen.Redraw(), Snapshot: c.screen.Snapshot()}, true
}
