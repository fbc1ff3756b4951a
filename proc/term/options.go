package term

import "time"

// The size of a screen if none is given, and the largest and smallest sizes.
const (
	DefaultCols, DefaultRows = 120, 40
	MaxCols, MaxRows         = 1000, 500
	minCols, minRows         = 2, 1
)

// DefaultHistory is how many bytes of what scrolled off are kept: the text, and 16 bytes for
// each row.
const DefaultHistory = 1 << 20

// Answers says which of the program's questions to the terminal the model
// answers.
type Answers int

const (
	// AnswerAll answers everything. It is for a screen whose program gets answers from no other
	// terminal.
	AnswerAll Answers = iota
	// AnswerStatus answers only the query for program status (OSC 7501); a person's terminal
	// answers the other queries.
	AnswerStatus
	// AnswerNone answers nothing.
	AnswerNone
)

// Options say how a [Screen] begins and which functions it calls. The zero value is a screen of
// 120x40 that calls none.
type Options struct {
	// Cols and Rows are the size. 0 means 120 columns or 40 rows. They are clamped to 2..1000
	// and 1..500.
	Cols, Rows int
	// History is how many bytes are kept of the rows that scrolled off the main screen; each
	// row counts its text and 16 bytes. The oldest rows are dropped first, 32 KiB at a time. 0
	// means 1 MiB, less than 0 means none.
	History int
	// Answers says which queries are answered through Reply.
	Answers Answers
	// Reply is called with the answers, in order, without a lock held, from the goroutine that
	// writes. It must not block and must not keep p. If it is nil, nothing is answered.
	Reply func(p []byte)
	// Event is called with what the program tells in addition to its text, in order, without a
	// lock held, from the goroutine that writes. It must not block and must not write to the
	// screen. If it is nil, events are discarded.
	Event func(Event)
	// Now is the clock; nil means time.Now. A replay passes its own clock, which only the
	// methods read: a goroutine that waits for a change is not woken when a frame has lasted
	// too long.
	Now func() time.Time
}

// clampSize clamps a size to the limits; 0 means the default.
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
