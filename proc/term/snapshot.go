package term

import (
	"strings"
	"time"
)

// Snapshot is what the screen showed at one moment. It is never changed.
type Snapshot struct {
	// Generation grows with every change of what a snapshot shows.
	Generation uint64
	Cols, Rows int
	// Lines are the rows from the top, always Rows of them.
	Lines []Line
	// CursorRow and CursorCol count from 0 and are always on the screen.
	CursorRow, CursorCol int
	CursorShown          bool
	Title                string
	// Alternate is true if the program uses the alternate screen.
	Alternate bool
	Modes     Modes
	// Drawing is current even during a frame.
	Drawing Drawing
	// Scrolled is how many rows have left the main screen at its top since the start. It is the
	// number of the screen's top row as History counts.
	Scrolled uint64
	// Output is when the last byte came; zero before the first byte.
	Output time.Time
}

// Line is one row of the screen or of the history.
type Line struct {
	// Text has no trailing blanks, except those that the program itself wrote in a wrapped row.
	Text string
	// Wrapped is true if the terminal wrapped the row, so that it continues in the next one.
	Wrapped bool
	// Spans are the parts of the row that are not drawn in the terminal's own style, from left
	// to right. They show what is marked. The history keeps none. They are never changed.
	Spans []Span
	// Runs are the same text by style; nil unless StyledSnapshot was called.
	Runs []Run
}

// Span is a part of a row in one style: the columns from From to before To.
type Span struct {
	From, To int
	Style    Style
}

// Run is a piece of a row in one style.
type Run struct {
	Text  string
	Style Style
}

// Style is how text is drawn.
type Style struct {
	Fg, Bg                                                         Color
	Bold, Faint, Italic, Underline, Blink, Reverse, Hidden, Strike bool
}

// Color is a colour. 0 is the terminal's own colour; any other is a colour of the palette
// (Palette) or a direct colour (RGB).
type Color uint32

// Palette returns the index, 0..255, of a colour of the palette.
func (c Color) Palette() (index uint8, ok bool) { return uint8(c), c>>24 == 1 }

// RGB returns the parts of a direct colour.
func (c Color) RGB() (r, g, b uint8, ok bool) {
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c>>24 == 2
}

// Modes are the settings of the terminal that the program has changed.
type Modes struct {
	BracketedPaste bool // 2004
	Synchronized   bool // 2026: a frame is being drawn
	Mouse          int  // 0 is off; otherwise 9, 1000, 1002 or 1003
	MouseSGR       bool // 1006
	FocusEvents    bool // 1004
	AppCursor      bool // DECCKM: arrow keys are ESC O A
	AppKeypad      bool // DECKPAM
	KittyKeyboard  int  // flags of the kitty keyboard protocol; 0 is off
	Autowrap       bool // DECAWM
	Origin         bool // DECOM
	Insert         bool // IRM
	Newline        bool // LNM
	ReverseVideo   bool // DECSCNM
	CursorBlink    bool // 12
	CursorStyle    int  // DECSCUSR, 0..6
}

// Text returns the rows as they are on the screen as one text. Each row except the last ends in
// a newline; empty rows at the end are left out.
func (s Snapshot) Text() string {
	n := len(s.Lines)
	for n > 0 && s.Lines[n-1].Text == "" {
		n--
	}
	var b strings.Builder
	for i, l := range s.Lines[:n] {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimRight(l.Text, " "))
	}
	return b.String()
}
