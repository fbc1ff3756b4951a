package term

import "time"

// Lines is the text that a program prints on the main screen, as lines instead of rows: as it was
// written, with tabs and trailing blanks, and with soft wraps joined. Text and screen belong
// together: who sees a snapshot or gets an event can read all text that was written before it.
// Its methods may be called from any goroutine.
type Lines struct{ screen *Screen }

// Text is what Lines.Read returns.
type Text struct {
	// Finished are the lines that were finished since the last Read.
	Finished []Printed
	// Current is the line that the cursor is on.
	Current string
	// Output is the time of the last Write.
	Output time.Time
	// Changed is closed at the next Write.
	Changed <-chan struct{}
}

// Printed is a line that a newline has finished.
type Printed struct {
	Text string
	// Whole is false if Text is a piece of a line of more than 1 Mi runes that goes on in the
	// next Printed.
	Whole bool
}

// Lines returns the text that the program prints. It begins with what is written after the first
// call.
func (s *Screen) Lines() *Lines {
	s.mu.Lock()
	defer s.mu.Unlock()
	if main := &s.model.main; main.lines == nil {
		main.lines = &assembler{}
	}
	return &Lines{screen: s}
}

// Keep says whether finished lines are kept for Read. They are not until Keep is called with
// true. Keep(false) forgets what was not read. The lines that are kept have no limit: the
// goroutine that writes can see by Unread that a reader is far behind.
func (l *Lines) Keep(on bool) {
	l.screen.mu.Lock()
	defer l.screen.mu.Unlock()
	a := l.screen.model.main.lines
	a.leave() // no editor is at work when a line is about to be typed
	if a.keep = on; !on {
		a.take()
	}
}

// Read returns the lines that were finished since the last Read, and the current line.
func (l *Lines) Read() Text {
	s := l.screen
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.written == nil {
		s.written = make(chan struct{})
	}
	a := s.model.main.lines
	return Text{Finished: a.take(), Current: string(a.line), Output: s.output, Changed: s.written}
}

// Unread returns how many bytes the lines have that the next Read returns as finished.
func (l *Lines) Unread() int {
	l.screen.mu.Lock()
	defer l.screen.mu.Unlock()
	return l.screen.model.main.lines.size
}
