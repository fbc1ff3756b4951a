package option

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/term"
)

const (
	optionsMax = 60      // options of one question
	labelMax   = 200     // bytes of a label
	textRows   = 8       // rows of the question
	detailMax  = 8 << 10 // bytes of Set.Detail
)

// Set is the options that stand on a screen, and what they answer.
type Set struct {
	// Rule says what the options look like, in a few words.
	Rule string
	Text string
	// Detail is what stands above the text in the same box.
	Detail  string
	Options []Option
	// Rows are the rows above the cursor's that the question takes, if a program has printed
	// them line by line.
	Rows []string
	// Axis says how a marker moves over the options; Typed if they are typed.
	Axis Axis
	// Marked is the option that Enter would choose now, -1 if the screen does not tell.
	Marked int
	// Boxed says that the options stand in a box of a program that has the whole screen:
	// Esc closes it.
	Boxed bool
}

// Option is one answer.
type Option struct {
	// ID is what a program calls the option: its number or its letter, else its place,
	// counted from 1.
	ID    string
	Label string
	// Type is what is typed to choose the option, without Enter; "" if a marker moves to it.
	Type string
	// Box says that there is a check box, Checked that it is checked.
	Box, Checked bool
}

// Axis is the direction in which a marker moves.
type Axis string

// The values of Axis.
const (
	Typed  Axis = ""       // no marker: an option is typed
	Down   Axis = "down"   // the options stand one below the other
	Across Axis = "across" // they stand in one row
)

// Read reads the options that a program offers now; it reports false if there are none.
func Read(s term.Snapshot) (Set, bool) {
	v := look(s)
	if v.last < 0 {
		return Set{}, false
	}
	for _, read := range []func(*screen) (Set, bool){letters, listed, boxed, rows, buttons} {
		if set, ok := read(v); ok && set.sound() {
			return set, true
		}
	}
	return Set{}, false
}

// sound reports whether the options differ, and cleans what people see.
func (s *Set) sound() bool {
	seen := map[string]bool{}
	for i := range s.Options {
		o := &s.Options[i]
		o.Label = text.Cut(text.Line(strings.TrimSpace(o.Label), 0), labelMax)
		if o.Label == "" || seen[o.ID] {
			return false
		}
		seen[o.ID] = true
	}
	s.Text, s.Detail = text.Strip(s.Text), text.Cut(text.Strip(s.Detail), detailMax)
	return len(s.Options) > 0 && len(s.Options) <= optionsMax
}
