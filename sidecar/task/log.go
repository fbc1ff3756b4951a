package task

import (
	"sync/atomic"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// eventLog holds the newest events of a task: those that a subscriber still has to
// read, and those kept for clients that come back. A reader knows the ID of the
// event that it wants next, so it notices when events were dropped. The task's mu
// guards the log.
type eventLog struct {
	ring   []logged
	head   int64 // bytes published so far
	window int64
	closed bool
	wake   chan struct{} // closed when an event comes; made by a reader that waits
	// replay counts the bytes that all tasks keep in their logs.
	replay *atomic.Int64
	// sparse means that the log keeps only what a reader still needs.
	sparse bool

	// readers are the subscribers that the writer waits for. The next four fields
	// are used while it waits: when the wait began, the place that every reader must
	// reach, how many readers have not reached it, and the channel that the last of
	// them closes.
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
	end   int64  // bytes published up to the end of this event
	seen  Commit // what must be durable before anybody sees the event; nil if nothing
}

// recent is how many bytes of a task's newest events are kept for clients that come
// back. That is some seconds of output of a fast agent, and minutes of one that
// thinks.
const recent = 1 << 20

// replayCost is how many bytes an event of this size takes in memory: the event
// itself, and one encoding of it.
func replayCost(size int64) int64 { return 2 * size }

func (l *eventLog) init(window int, replay *atomic.Int64) {
	l.window = int64(window)
	l.replay = replay
	l.readers = make(map[*reader]struct{})
}

// append publishes an event of about size bytes. Recent events are kept for clients
// that come back, even if no reader of the log needs them. Events that are a whole
// window old are dropped: reserve has made sure that every reader has them.
func (l *eventLog) append(e *a2a.Event, size int64, seen Commit) {
	l.head += size
	l.ring = append(l.ring, logged{event: e, size: size, end: l.head, seen: seen})
	l.replay.Add(replayCost(size))
	l.dropTo(max(l.head-l.window, min(l.needed(), l.head-min(l.window, recent))))
	l.tell()
}

// close marks the log as complete: no more events come.
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

// waiting returns a channel that closes when the next event comes or the log is
// closed.
func (l *eventLog) waiting() <-chan struct{} {
	if l.wake == nil {
		l.wake = make(chan struct{})
	}
	return l.wake
}

// from returns the events that begin with the one of this ID, and reports whether
// the log holds that event.
func (l *eventLog) from(id uint64) ([]logged, bool) {
	if len(l.ring) == 0 || id < l.ring[0].event.ID {
		return nil, false
	}
	if i := id - l.ring[0].event.ID; i < uint64(len(l.ring)) {
		return l.ring[i:], true
	}
	return nil, false
}

// dropTo drops the events that end at or before a place.
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

// shed drops the oldest events that no reader of the log needs, until n bytes of
// memory are freed.
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

// thin makes the log sparse: from now on it keeps only what its readers need.
func (l *eventLog) thin() {
	l.sparse = true
	l.shed(replayCost(l.head))
}

// reserve returns nil if every reader has room for size more bytes. Otherwise it
// returns a channel that closes once all readers have. A reader that has read
// everything always has room, however long the event is.
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
// limit. It returns how many it dropped, and how long until another of them may have
// to be dropped.
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

// join makes the writer wait for a reader, which may begin at an earlier event.
func (l *eventLog) join(r *reader) {
	l.readers[r] = struct{}{}
	if l.room != nil && r.pos < l.need {
		l.behind++
		r.moved = time.Now()
	}
}

// advance moves a reader forward by n bytes, if it is one of the log's readers.
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

// drop removes a reader, if it is one of the log's readers, and the events that only
// it needed.
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

// passed notes that a reader moved from one place to another. If it crossed need, it
// is not behind any more.
func (l *eventLog) passed(from, to int64) {
	if l.room == nil || from >= l.need || to < l.need {
		return
	}
	if l.behind--; l.behind == 0 {
		close(l.room)
		l.room = nil
	}
}
