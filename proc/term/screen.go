package term

import (
	"sync"
	"time"
)

const (
	// watchdog is how long one Write may take.
	watchdog = 250 * time.Millisecond
	// heavy is how much work a Write must have done before watchdog applies: if the machine
	// merely pauses for a moment, the screen is not lost.
	heavy = 4 << 20
	// A turn with the lock ends after maxWork, after maxStep bytes, after maxWaiting events, or
	// after maxReplies bytes of answers.
	maxWork    = 1 << 18
	maxStep    = 8 << 10
	maxWaiting = 64
	maxReplies = 4 << 10
)

// Screen is the model of one terminal. Only one goroutine at a time may write. The other
// methods may be called from any goroutine.
type Screen struct {
	reply func([]byte)
	event func(Event)
	now   func() time.Time
	own   bool // the clock belongs to a replay; no timer follows it

	// events and replies are what the writing goroutine delivers. Only that goroutine uses
	// them.
	events  []Event
	replies []byte

	mu         sync.Mutex
	model      *model
	generation uint64
	changed    chan struct{} // nil if no one has asked for it
	written    chan struct{} // closed at the next Write; nil if no one has asked for it
	output     time.Time
	resets     int
	frames     uint64 // the number of the frame that began at began
	began      time.Time
	expiry     *time.Timer
	lines      []Line // of the snapshot of generation linesOf; nil if there is none
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

// Write takes what the program wrote. It never fails. If a call takes over 250 ms, which only a
// stream made for that purpose achieves, Write gives the model up: the screen is then empty,
// and the rest of p is lost, which EventGivenUp tells.
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
			s.giveUp(len(p))
			s.deliver()
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
	if s.written != nil {
		close(s.written)
		s.written = nil
	}
	if m.modes.Synchronized {
		s.watchFrame(now)
	} else {
		s.publish()
	}
	return n, m.work + n
}

// deliver passes on the answers and events that the bytes have caused, without a lock held.
func (s *Screen) deliver() {
	if s.reply != nil && len(s.replies) > 0 {
		s.reply(s.replies)
	}
	if s.event != nil {
		for _, e := range s.events {
			s.event(e)
		}
	}
	clear(s.events) // free the memory of the texts
}

// publish announces that something has changed. The caller holds the lock.
func (s *Screen) publish() {
	s.generation++
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// watchFrame starts the time limit of a new frame. The caller holds the lock.
func (s *Screen) watchFrame(now time.Time) {
	if s.frames == s.model.frozen.count {
		return
	}
	s.publish() // what came before the frame may not have been published
	s.frames, s.began = s.model.frozen.count, now
	switch {
	case s.own:
	case s.expiry == nil:
		s.expiry = time.AfterFunc(frameLimit, s.timeUp)
	default:
		s.expiry.Reset(frameLimit)
	}
}

// timeUp ends a frame that has taken too long, so that those who wait for a change see what has
// been drawn.
func (s *Screen) timeUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(s.now()) // if a new frame has begun meanwhile, it has reset the timer
}

// expire ends the present frame if it has reached frameLimit. The caller holds the lock.
func (s *Screen) expire(now time.Time) {
	if s.model.modes.Synchronized && now.Sub(s.began) >= frameLimit {
		s.model.frame(false)
		s.publish()
	}
}

// giveUp replaces the model by an empty one, which loses so many bytes.
func (s *Screen) giveUp(lost int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.model
	m := newModel(old.cols, old.rows, old.history.limit, old.answers)
	m.title, m.history.first, m.history.next = old.title, old.history.next, old.history.next
	m.main.lines = old.main.lines
	s.model = m
	s.frames = 0
	s.resets++
	s.events, s.replies = append(s.events[:0], Event{Kind: EventGivenUp, Code: lost}), s.replies[:0]
	s.publish()
}

// Resets returns how often the model was given up because a Write took over 250 ms.
func (s *Screen) Resets() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.resets
}

// Resize gives the screen a new size. Text is not wrapped again. If there are too many rows,
// those below the cursor are removed first, then those at the top, which go into the history. A
// frame that is being drawn ends.
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

// Pending returns how many bytes at the end of what was written are the beginning of an
// unfinished sequence or rune, at most 64 KiB. A reader that continues from a picture of the
// screen needs these bytes.
func (s *Screen) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return min(s.model.parser.pending, maxString)
}

// Changed returns a channel that is closed at the next change of anything that a snapshot
// shows, including Output. To miss no change, call Changed before Snapshot.
func (s *Screen) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// Snapshot returns what the screen shows. While the program draws a frame (mode 2026), it
// returns what was shown before the frame, for at most one second; Output and
// Modes.Synchronized are always current.
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
	snap.Drawing = s.model.drawing.Drawing
	return snap
}

// History returns the rows that have scrolled off the top of the main screen, from number from
// on, and the number of the first row returned. Rows are counted from 0 since the start. first
// is greater than from if older rows are no longer kept or if the program has cleared them (CSI
// 3 J, RIS). During a frame, History ends where the snapshot begins, with the row before
// Scrolled.
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
