package term

import (
	"sync"
	"time"
)

const (
	// watchdog is how long one Write may take.
	watchdog = 250 * time.Millisecond
	// heavy is the work from which on the clock counts: a machine that stands
	// still for a moment is no reason to lose the screen.
	heavy = 4 << 20
	// maxWork ends a turn with the lock, as do maxStep bytes, maxWaiting events
	// and maxReplies bytes of answers.
	maxWork    = 1 << 18
	maxStep    = 8 << 10
	maxWaiting = 64
	maxReplies = 4 << 10
)

// Screen is the model of one terminal. One goroutine at a time writes; the
// other methods may be called from any.
type Screen struct {
	reply func([]byte)
	event func(Event)
	now   func() time.Time
	own   bool // the clock is a replay's, which no timer follows

	// events and replies are what the writing goroutine delivers; only it uses
	// them.
	events  []Event
	replies []byte

	mu         sync.Mutex
	model      *model
	generation uint64
	changed    chan struct{} // nil when nobody has asked
	output     time.Time
	resets     int
	frames     uint64 // that have begun, as far as began is about them
	began      time.Time
	expiry     *time.Timer
	lines      []Line // of the snapshot of that generation; nil when there is none
	linesOf    uint64
}

// New returns an empty screen.
func New(o Options) *Screen {
	if o.History == 0 {
		o.History = DefaultHistory
	}
	s := &Screen{reply: o.Reply, event: o.Event, now: o.Now, own: o.Now != nil}
	if !s.own {
		s.now = time.Now
	}
	if o.Reply == nil {
		o.Answers = AnswerNone
	}
	cols, rows := clampSize(o.Cols, o.Rows)
	s.model = newModel(cols, rows, o.History, o.Answers)
	return s
}

// Write takes what the program wrote. It never fails. A call that takes over 250
// ms, which only a stream made for it does, gives the model up: the screen is
// empty then, and the rest of p lost.
func (s *Screen) Write(p []byte) (int, error) {
	all := len(p)
	begin := time.Now()
	work := 0
	for len(p) > 0 {
		n, cost := s.step(p[:min(len(p), maxStep)])
		s.deliver()
		p = p[n:]
		work += cost
		if work >= heavy && time.Since(begin) > watchdog {
			s.giveUp()
			break
		}
	}
	return all, nil
}

// step takes some of p with the lock held.
func (s *Screen) step(p []byte) (n, work int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.model
	now := s.now()
	s.expire(now)
	m.work = 0
	n = m.write(p)
	s.events, m.events = m.events, s.events[:0]
	s.replies, m.replies = m.replies, s.replies[:0]
	s.output = now
	if m.modes.Synchronized {
		s.watchFrame(now)
	} else {
		s.publish()
	}
	return n, m.work + n
}

// deliver tells what the bytes have brought, with no lock held.
func (s *Screen) deliver() {
	if s.reply != nil && len(s.replies) > 0 {
		s.reply(s.replies)
	}
	if s.event != nil {
		for _, e := range s.events {
			s.event(e)
		}
	}
	clear(s.events) // let go what the texts hold
}

// publish says that something has changed. The lock is held.
func (s *Screen) publish() {
	s.generation++
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// watchFrame begins the time of a frame that was begun. The lock is held.
func (s *Screen) watchFrame(now time.Time) {
	if s.frames == s.model.frozen.count {
		return
	}
	s.publish() // what came before the frame may be new
	s.frames, s.began = s.model.frozen.count, now
	switch {
	case s.own:
	case s.expiry == nil:
		s.expiry = time.AfterFunc(frameLimit, s.timeUp)
	default:
		s.expiry.Reset(frameLimit)
	}
}

// timeUp ends a frame that has taken too long, so that somebody who waits for a
// change sees what there is of it.
func (s *Screen) timeUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(s.now()) // a frame that has begun since has set the timer again
}

// expire ends the present frame if its time is up. The lock is held.
func (s *Screen) expire(now time.Time) {
	if s.model.modes.Synchronized && now.Sub(s.began) >= frameLimit {
		s.model.frame(false)
		s.publish()
	}
}

// giveUp begins anew with an empty screen.
func (s *Screen) giveUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.model
	m := newModel(old.cols, old.rows, old.history.limit, old.answers)
	m.title, m.history.first, m.history.next = old.title, old.history.next, old.history.next
	s.model = m
	s.frames = 0
	s.resets++
	s.publish()
}

// Resets is how often the model was given up because a Write took over 250 ms.
func (s *Screen) Resets() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.resets
}

// Resize gives the screen a new size. Text is not wrapped anew. Of rows that are
// too many those below the cursor go first, then those at the top, which go to
// the history. A frame that is being drawn ends.
func (s *Screen) Resize(cols, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cols, rows = clampSize(cols, rows)
	if cols == s.model.cols && rows == s.model.rows {
		return
	}
	s.model.frame(false)
	s.model.resize(cols, rows)
	s.publish()
}

// Pending is how many bytes at the end of what was written are the beginning of a
// sequence or of a rune whose end has not come, at most 64 KiB: whoever goes on from
// a picture of the screen needs them.
func (s *Screen) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return min(s.model.parser.pending, maxString)
}

// Changed returns a channel that is closed at the next change of anything that
// a snapshot shows, Output among it. To miss nothing, get it before the
// snapshot.
func (s *Screen) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// Snapshot returns what the screen shows. While the program draws a frame (mode
// 2026) it is what was there before the frame, for at most one second; Output
// and Modes.Synchronized are of now.
func (s *Screen) Snapshot() Snapshot { return s.snapshot(false) }

// StyledSnapshot is Snapshot with the Runs of each line.
func (s *Screen) StyledSnapshot() Snapshot { return s.snapshot(true) }

func (s *Screen) snapshot(styled bool) Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(s.now())
	g, snap := s.model.shown()
	if s.lines == nil || s.linesOf != s.generation {
		s.lines, s.linesOf = s.model.lines(g), s.generation
	}
	snap.Lines = s.lines
	if styled {
		snap.Lines = append([]Line(nil), s.lines...)
		for y := range snap.Lines {
			snap.Lines[y].Runs = s.model.runs(g.at(y))
		}
	}
	snap.Generation, snap.Title, snap.Output = s.generation, s.model.title, s.output
	return snap
}

// History returns the rows that have scrolled off the top of the main screen,
// from number from on (they are counted from 0 since the start), and the number
// of the first of them: greater than from when older ones are not kept any more
// or the program has cleared them (CSI 3 J, RIS). Within a frame it ends where
// the snapshot begins, with the row before Scrolled.
func (s *Screen) History(from uint64) (rows []Line, first uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(s.now())
	rows, first = s.model.history.from(from)
	if _, snap := s.model.shown(); first+uint64(len(rows)) > snap.Scrolled {
		rows = rows[:max(snap.Scrolled, first)-first]
	}
	return rows, first
}
