package task

import (
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// eventLog is the part of a task's events that somebody still has to read: a
// list whose last node is empty, waiting to be filled. Readers hold the node
// they are at; what all have passed is garbage. The task's mu guards it.
type eventLog struct {
	tail    *node
	head    int64 // bytes published so far
	window  int64
	readers map[*reader]struct{}
	closed  bool

	// While the writer waits for room: since when, how far every reader must
	// come, how many have not, and what the last of them closes.
	since  time.Time
	need   int64
	behind int
	room   chan struct{}
}

// node is one event, or the empty end of the list.
type node struct {
	event *a2a.Event
	size  int64
	next  *node
	wake  chan struct{} // closed when the node is filled; made by who waits
}

func (l *eventLog) init(window int) {
	l.tail = &node{}
	l.window = int64(window)
	l.readers = make(map[*reader]struct{})
}

// append publishes an event of about size bytes. Without readers it is not
// kept.
func (l *eventLog) append(e *a2a.Event, size int64) {
	if len(l.readers) == 0 {
		return
	}
	n := l.tail
	n.event, n.size, n.next = e, size, &node{}
	l.tail = n.next
	l.head += size
	l.wake(n)
}

// close says that nothing more comes.
func (l *eventLog) close() {
	l.closed = true
	l.wake(l.tail)
}

func (l *eventLog) wake(n *node) {
	if n.wake != nil {
		close(n.wake)
		n.wake = nil
	}
}

// waiting returns the channel that closes when the empty end n is filled.
func (l *eventLog) waiting(n *node) <-chan struct{} {
	if n.wake == nil {
		n.wake = make(chan struct{})
	}
	return n.wake
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
		l.drop(r, a2a.ErrStalled)
		dropped++
	}
	return dropped, next
}

// advance moves a reader forward by n bytes.
func (l *eventLog) advance(r *reader, n int64) {
	if l.room != nil {
		r.moved = time.Now()
	}
	from := r.pos
	r.pos += n
	l.passed(from, r.pos)
}

// drop ends a reader with err and lets go of all that it had not read.
func (l *eventLog) drop(r *reader, err error) {
	if _, ok := l.readers[r]; !ok {
		return
	}
	delete(l.readers, r)
	r.at, r.err = nil, err
	l.passed(r.pos, l.head)
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
