package line

import (
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// maxUnread is how much finished text may wait for a turn before the terminal has to
// wait, in bytes.
const maxUnread = 1 << 20

// lineBuffer is the text between a terminal, whose model makes lines of it, and a
// turn, which reads them. While no turn listens, only the current line is kept.
type lineBuffer struct {
	lines *term.Lines
	began time.Time

	mu     sync.Mutex
	room   chan struct{} // closed when the turn has taken lines
	closed bool
}

func newLineBuffer(lines *term.Lines) *lineBuffer {
	return &lineBuffer{lines: lines, began: time.Now(), room: make(chan struct{})}
}

// wait waits while a listener is far behind (backpressure). It is called before
// output goes to the model of the screen.
func (t *lineBuffer) wait() {
	for {
		t.mu.Lock()
		room, closed := t.room, t.closed
		t.mu.Unlock()
		if closed || t.lines.Unread() <= maxUnread {
			return
		}
		<-room
	}
}

// listen begins to keep finished lines. A listener must call look, or the terminal
// finally has to wait.
func (t *lineBuffer) listen() { t.lines.Keep(true) }

// ignore ends what listen began.
func (t *lineBuffer) ignore() {
	t.lines.Keep(false)
	t.makeRoom(false)
}

// look returns the lines that were finished since the last look. Its Output is the
// time since which nothing was printed, also if nothing was ever printed.
func (t *lineBuffer) look() term.Text {
	v := t.lines.Read()
	if v.Output.IsZero() {
		v.Output = t.began
	}
	if len(v.Finished) > 0 {
		t.makeRoom(false)
	}
	return v
}

// close releases whoever waits: no more output comes. Output that has come can still
// be looked at.
func (t *lineBuffer) close() { t.makeRoom(true) }

// makeRoom wakes whoever waits.
func (t *lineBuffer) makeRoom(last bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = t.closed || last
	close(t.room)
	t.room = make(chan struct{})
}
