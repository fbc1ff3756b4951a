package option

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/term"
)

// The limits of one question. They keep a screen full of rows that look like options, or a very
// long row, from becoming a question that nobody could read.
const (
	optionsMax = 60      // options of one question
	labelMax   = 200     // bytes of a label; the rest is cut
	textRows   = 8       // rows of the question's text
	detailMax  = 8 << 10 // bytes of Set.Detail; the rest is cut
)

// Set is the options that stand on a screen, and the question that they answer.
type Set struct {
	// Rule says in a few words what the options look like.
	Rule string
	Text string
	// Detail is the text that stands above Text in the same box.
	Detail  string
	Options []Option
	// Rows are the rows above the cursor's row that the question takes, if a program has
	// printed them line by line.
	Rows []string
	// Axis says in which direction a marker moves over the options. It is Typed if each option
	// is chosen by typing it.
	Axis Axis
	// Marked is the index of the option that Enter would choose now. It is -1 if the screen
	// does not show one.
	Marked int
	// Boxed reports that the options stand in a box of a program that has the whole screen. Esc
	// closes such a box.
	Boxed bool
}

// Option is one answer.
type Option struct {
	// ID is the number or the letter that the program shows before the option. An option
	// without one has its place, counted from 1.
	ID    string
	Label string
	// Type is what a person types to choose the option, without Enter. It is "" if a marker
	// moves to the option.
	Type string
	// Box reports that the option has a check box, and Checked that it is checked.
	Box, Checked bool
	// Toggle is the key that checks the box; "" means space.
	Toggle string
}

// Axis is the direction in which a marker moves.
type Axis string

// The values of Axis.
const (
	Typed  Axis = ""       // no marker moves: an option is typed
	Down   Axis = "down"   // the options stand one below the other
	Across Axis = "across" // the options stand in one row
)

// Read returns the options that a program offers now. It reports false if there are none.
func Read(s term.Snapshot) (Set, bool) {
	v := look(s)
	if v.last < 0 {
		return Set{}, false
	}
	if v.alternate && v.shown && !blank(v.after) && v.isHint(v.row) {
		v.shown = false // inside of a hint nobody types: the program left the cursor there
	}
	for _, read := range []func(*screen) (Set, bool){letters, listed, listedBelow, ranged, boxed, keyRows, pairedRows, rows, framed, buttons, keys} {
		if set, ok := read(v); ok && set.sound() {
			return set, true
		}
	}
	return Set{}, false
}

// sound reports whether no two options have the same ID and each has a label. It removes from
// the texts what a person must not see.
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
