package line

import (
	"sync"
	"time"
)

// maxTape is how much finished text may wait for a listener before the terminal has
// to wait, in bytes.
const maxTape = 1 << 20

// lineBuffer is the buffer between a terminal, which writes, and a turn, which
// listens. While nobody listens, only the current row is kept.
type lineBuffer struct {
	mu        sync.Mutex
	rows      *rows
	listening bool
	finished  []row
	size      int
	last      time.Time     // of the last output
	changed   chan struct{} // closed at the next output
	room      chan struct{} // closed when the listener has taken the rows
	closed    bool
}

// row is a finished row, or a piece of a very long one.
type row struct {
	text  string
	whole bool
}

// view is what a listener sees.
type view struct {
	rows    []row  // finished since the last look
	current string // the row that the cursor is on
	last    time.Time
	changed <-chan struct{} // closed when there is more to see
}

func newLineBuffer(width int) *lineBuffer {
	t := &lineBuffer{last: time.Now(), changed: make(chan struct{}), room: make(chan struct{})}
	t.rows = newRows(width, t.finish)
	return t
}

// finish takes a finished row from rows, which calls it with the lock held.
func (t *lineBuffer) finish(text string, whole bool) {
	if t.listening {
		t.finished = append(t.finished, row{text: text, whole: whole})
		t.size += len(text) + 1
	}
}

// write takes the terminal's output. It waits while a listener is far behind
// (backpressure).
func (t *lineBuffer) write(chunk []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.listening && t.size > maxTape && !t.closed {
		room := t.room
		t.mu.Unlock()
		<-room
		t.mu.Lock()
	}
	t.add(chunk)
}

// draw takes what the listener itself writes in place of the terminal. It must not
// wait: only the listener's own look would make room.
func (t *lineBuffer) draw(text []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(text)
}

// add takes output. The lock is held.
func (t *lineBuffer) add(chunk []byte) {
	t.rows.write(chunk)
	t.last = time.Now()
	close(t.changed)
	t.changed = make(chan struct{})
}

// resize follows the terminal's width.
func (t *lineBuffer) resize(width int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows.width = max(width, 1)
}

// listen begins to keep finished rows. A listener must call look, or the terminal
// finally has to wait.
func (t *lineBuffer) listen() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listening = true
}

// ignore ends what listen began.
func (t *lineBuffer) ignore() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listening = false
	t.take()
}

// look returns the rows that were finished since the last look.
func (t *lineBuffer) look() view {
	t.mu.Lock()
	defer t.mu.Unlock()
	return view{rows: t.take(), current: t.rows.current(), last: t.last, changed: t.changed}
}

// take returns the finished rows and makes room. The lock is held.
func (t *lineBuffer) take() []row {
	taken := t.finished
	t.finished, t.size = nil, 0
	close(t.room)
	t.room = make(chan struct{})
	return taken
}

// close releases a write that waits: no more output comes. Output that has come can
// still be looked at.
func (t *lineBuffer) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	close(t.room)
	t.room = make(chan struct{})
}
