package console

import (
	"context"
	"sync"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// streamSize is how much of a terminal's output is kept for watchers, in bytes. A
// watcher that is further behind gets a fresh picture instead.
const streamSize = 256 << 10

// frameSize is the most bytes of one frame.
const frameSize = 32 << 10

// stream is the end of a terminal's output. Its lock is console.feeding, but for
// more.
type stream struct {
	ring  []byte
	total uint64 // bytes so far: the offset of the next
	epoch int    // counts what only a new picture shows: the size has changed
	since uint64 // total when it did last

	mu   sync.Mutex
	more chan struct{} // closed at the next byte
}

// add keeps a chunk.
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

// redrawn makes everybody start from a picture: the size has changed.
func (s *stream) redrawn() {
	s.epoch++
	s.since = s.total
	s.wake()
}

// from copies the bytes from offset on, at most n of them. They must be there.
func (s *stream) from(offset uint64, n int) []byte {
	b := make([]byte, 0, min(uint64(n), s.total-offset))
	for len(b) < cap(b) {
		at := (offset + uint64(len(b))) % streamSize
		b = append(b, s.ring[at:min(streamSize, at+uint64(cap(b)-len(b)))]...)
	}
	return b
}

// has reports whether what comes from offset on is there, and is all that a
// watcher needs who has seen what was before.
func (s *stream) has(offset uint64) bool {
	return offset <= s.total && s.total-offset <= streamSize && (s.epoch == 0 || offset > s.since)
}

func (s *stream) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.more)
	s.more = make(chan struct{})
}

// Frame is a piece of a terminal's output for somebody who watches it.
type Frame struct {
	// Offset is the number of the first of Bytes in the session's output, or
	// with Redraw of the byte that comes after the picture.
	Offset uint64
	// Bytes are what the agent wrote, at most 32 KiB.
	Bytes []byte
	// Redraw, when it is not nil, draws the whole screen on an empty terminal of
	// Snapshot's size: the first frame, and whenever the watcher was too far
	// behind or the size has changed. Bytes is then empty.
	Redraw   []byte
	Snapshot term.Snapshot
}

// Tap follows the output of one session's terminal. It never holds the agent:
// a slow watcher misses bytes and gets a picture instead. It is for one goroutine.
type Tap struct {
	c    *Console
	next uint64
	over context.Context // ends with the session
	// epoch is the stream's at the last picture, -1 when one is due.
	epoch int
	again chan struct{} // a picture is wanted
}

// shown is the offset up to which all has its place in a picture. The lock of the
// stream is held.
func (c *Console) shown() uint64 { return c.stream.total - uint64(c.screen.Pending()) }

// Follow begins to follow.
func (c *Console) Follow(over context.Context) *Tap {
	return &Tap{c: c, over: over, epoch: -1, again: make(chan struct{}, 1)}
}

// From lets it go on with the byte at offset, without a picture, if all that
// came since is still there.
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

// Next waits for the next frame. The error is the cause of ctx's end, or of the
// session's (see Ended), after the last byte.
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

// take is what there is to see.
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
