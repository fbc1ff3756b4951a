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
	// Alternate: the program uses the alternate screen.
	Alternate bool
	Modes     Modes
	// Scrolled is how many rows the main screen has lost at its top since the
	// start: the number of its top row in the numbering of History.
	Scrolled uint64
	// Output is when the last byte came; zero before the first.
	Output time.Time
}

// Line is one row of the screen or of the history.
type Line struct {
	// Text has no trailing blanks, but for those of a wrapped row that the
	// program wrote itself.
	Text string
	// Wrapped: the terminal wrapped the row, it goes on in the next.
	Wrapped bool
	// Runs are the same text by style; nil unless asked for (StyledSnapshot).
	Runs []Run
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

// Color is a colour: 0 is the terminal's own, else one of the palette
// (Palette) or a mixture (RGB).
type Color uint32

// Palette returns the index, 0..255, of a colour of the palette.
func (c Color) Palette() (index uint8, ok bool) { return uint8(c), c>>24 == 1 }

// RGB returns the parts of a direct colour.
func (c Color) RGB() (r, g, b uint8, ok bool) {
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c>>24 == 2
}

// Modes are the settings of the terminal that the program has made.
type Modes struct {
	BracketedPaste bool // 2004
	Synchronized   bool // 2026: a frame is being drawn
	Mouse          int  // 0 off, else 9, 1000, 1002 or 1003
	MouseSGR       bool // 1006
	FocusEvents    bool // 1004
	AppCursor      bool // DECCKM: arrow keys are ESC O A
	AppKeypad      bool // DECKPAM
	KittyKeyboard  int  // flags of the kitty keyboard protocol, 0 off
	Autowrap       bool // DECAWM
	Origin         bool // DECOM
	Insert         bool // IRM
	Newline        bool // LNM
	ReverseVideo   bool // DECSCNM
	CursorBlink    bool // 12
	CursorStyle    int  // DECSCUSR, 0..6
}

// Text is the rows as one text, each ended by a newline but for the last, as
// they stand on the screen, without empty rows at the end.
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
