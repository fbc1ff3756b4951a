package term

import "time"

// The size of a screen when none is given, and the largest one.
const (
	DefaultCols, DefaultRows = 120, 40
	MaxCols, MaxRows         = 1000, 500
	minCols, minRows         = 2, 1
)

// DefaultHistory is how much of what scrolled off is kept: bytes of text, and 16
// for each row.
const DefaultHistory = 1 << 20

// Answers says which of the program's questions to the terminal the model
// answers.
type Answers int

const (
	// AnswerAll is for a terminal that nobody else answers for.
	AnswerAll Answers = iota
	// AnswerStatus answers the query for program status (OSC 7501) only: a
	// person's terminal answers the rest.
	AnswerStatus
	// AnswerNone answers nothing.
	AnswerNone
)

// Options say how a [Screen] begins and whom it tells. The zero value is a
// screen of 120x40 that tells nobody.
type Options struct {
	// Cols and Rows are the size; 0 is 120x40. They are clamped to 2..1000 and
	// 1..500.
	Cols, Rows int
	// History is how many bytes of the rows that scrolled off the main screen
	// are kept, 16 being counted for a row beside its text; the oldest go first, 32
	// KiB at a time. 0 is 1 MiB, less than 0 none.
	History int
	// Answers says which queries are answered through Reply.
	Answers Answers
	// Reply gets the answers, in order, with no lock held, from the goroutine
	// that writes. It must not block and not keep p. Nil: nothing is answered.
	Reply func(p []byte)
	// Event gets what the program tells beside its text, in order, with no lock
	// held, from the goroutine that writes. It must not block, and not write to
	// the screen. Nil: nobody.
	Event func(Event)
	// Now is the clock; nil is time.Now. A replay passes its own, which only the
	// methods ask: who waits for a change is not told that a frame's time is up.
	Now func() time.Time
}

// clampSize brings a size into the limits, 0 being the default.
func clampSize(cols, rows int) (int, int) {
	if cols == 0 {
		cols = DefaultCols
	}
	if rows == 0 {
		rows = DefaultRows
	}
	return clamp(cols, minCols, MaxCols), clamp(rows, minRows, MaxRows)
}

func clamp(n, low, high int) int { return min(max(n, low), high) }
