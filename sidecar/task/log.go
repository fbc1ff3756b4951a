package task

import (
	"sync/atomic"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// eventLog is the newest of a task's events: those that a subscriber may still
// have to read, and those kept for clients that come back. Readers know the ID
// of the event that they want next, so that what is dropped is gone whoever
// was slow. The task's mu guards it.
type eventLog struct {
	ring   []logged
	head   int64 // bytes published so far
	window int64
	closed bool
	wake   chan struct{} // closed when an event comes; made by who waits
	// replay is what all tasks keep so, in bytes.
	replay *atomic.Int64
	// sparse: nothing is kept but what a reader still needs.
	sparse bool

	// readers are those that the writer waits for. While it does: since when,
	// how far every one must come, how many have not, and what the last of them
	// closes.
	readers map[*reader]struct{}
	since   time.Time
	need    int64
	behind  int
	room    chan struct{}
}

// logged is one event.
type logged struct {
	event *a2a.Event
	size  int64  // bytes, about
	end   int64  // bytes published up to and with it
	seen  Commit // what must be durable before anybody sees it, nil for nothing
}

// recent is how many bytes of a task's newest events are kept for clients that
// come back: some seconds of a fast agent, minutes of one that thinks.
const recent = 1 << 20

// replayCost is what an event of a size takes in memory: itself, and one
// encoding.
func replayCost(size int64) int64 { return 2 * size }

func (l *eventLog) init(window int, replay *atomic.Int64) {
	l.window = int64(window)
	l.replay = replay
	l.readers = make(map[*reader]struct{})
}

// append publishes an event of about size bytes. What no reader of the log needs
// is kept for those who come back as far as it is recent; what is a whole window
// old is dropped: reserve has seen to it that every reader has it.
func (l *eventLog) append(e *a2a.Event, size int64, seen Commit) {
	l.head += size
	l.ring = append(l.ring, logged{event: e, size: size, end: l.head, seen: seen})
	l.replay.Add(replayCost(size))
	l.dropTo(max(l.head-l.window, min(l.needed(), l.head-min(l.window, recent))))
	l.tell()
}

// close says that nothing more comes.
func (l *eventLog) close() {
	l.closed = true
	l.tell()
}

func (l *eventLog) tell() {
	if l.wake != nil {
		close(l.wake)
		l.wake = nil
	}
}

// waiting returns the channel that closes when something comes.
func (l *eventLog) waiting() <-chan struct{} {
	if l.wake == nil {
		l.wake = make(chan struct{})
	}
	return l.wake
}

// from returns the events that begin with the one of this ID, false when that
// is not at hand.
func (l *eventLog) from(id uint64) ([]logged, bool) {
	if len(l.ring) == 0 || id < l.ring[0].event.ID {
		return nil, false
	}
	if i := id - l.ring[0].event.ID; i < uint64(len(l.ring)) {
		return l.ring[i:], true
	}
	return nil, false
}

// dropTo drops what ends at or before a place.
func (l *eventLog) dropTo(end int64) {
	n := 0
	for n < len(l.ring) && l.ring[n].end <= end {
		l.replay.Add(-replayCost(l.ring[n].size))
		n++
	}
	clear(l.ring[:n])
	l.ring = l.ring[n:] // append moves it when its array is used up
}

// needed is the place up to which every reader of the log has read.
func (l *eventLog) needed() int64 {
	needed := l.head
	for r := range l.readers {
		needed = min(needed, r.pos)
	}
	return needed
}

// shed drops the oldest events that no reader of the log needs, until n bytes
// of memory are free.
func (l *eventLog) shed(n int64) {
	needed, end := l.needed(), int64(0)
	for _, e := range l.ring {
		if n <= 0 || e.end > needed {
			break
		}
		n -= replayCost(e.size)
		end = e.end
	}
	l.dropTo(end)
}

// thin keeps nothing from now on but what readers of the log need.
func (l *eventLog) thin() {
	l.sparse = true
	l.shed(replayCost(l.head))
}

// reserve returns nil when every reader has room for size more bytes, else a
// channel that closes once all have. A reader that has read everything always
// has room, however long the event.
func (l *eventLog) reserve(size int64) <-chan struct{} {
	l.need = min(l.head, l.head+size-l.window)
	l.behind = 0
	for r := range l.readers {
		if r.pos < l.need {
			l.behind++
		}
	}
	if l.behind == 0 {
		return nil
	}
	l.since, l.room = time.Now(), make(chan struct{})
	return l.room
}

// unreserve ends the wait that reserve began.
func (l *eventLog) unreserve() { l.room = nil }

// cut drops the readers that reserve waits for and that have taken nothing for
// the limit. It returns how many, and when the next of the others may be due.
func (l *eventLog) cut(limit time.Duration) (dropped int, next time.Duration) {
	now := time.Now()
	next = limit
	for r := range l.readers {
		if r.pos >= l.need {
			continue
		}
		last := l.since
		if r.moved.After(last) {
			last = r.moved
		}
		if left := limit - now.Sub(last); left > 0 {
			next = min(next, left)
			continue
		}
		l.drop(r)
		r.err = a2a.ErrStalled
		dropped++
	}
	return dropped, next
}

// join makes the writer wait for a reader, which may begin in the past.
func (l *eventLog) join(r *reader) {
	l.readers[r] = struct{}{}
	if l.room != nil && r.pos < l.need {
		l.behind++
		r.moved = time.Now()
	}
}

// advance moves a reader forward by n bytes, if it is one of the log's.
func (l *eventLog) advance(r *reader, n int64) {
	if _, ok := l.readers[r]; !ok {
		return
	}
	if l.room != nil {
		r.moved = time.Now()
	}
	from := r.pos
	r.pos += n
	l.passed(from, r.pos)
}

// drop lets go of a reader, if it is one of the log's, and of what only it
// needed.
func (l *eventLog) drop(r *reader) {
	if _, ok := l.readers[r]; !ok {
		return
	}
	delete(l.readers, r)
	l.passed(r.pos, l.head)
	if l.sparse {
		l.thin()
	}
}

// passed counts a reader that went from one place to another past need.
func (l *eventLog) passed(from, to int64) {
	if l.room == nil || from >= l.need || to < l.need {
		return
	}
	if l.behind--; l.behind == 0 {
		close(l.room)
		l.room = nil
	}
}
