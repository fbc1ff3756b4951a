package state

import (
	"slices"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

const (
	// restlessTimes is after how many changes a row is restless. After the start, one earlier
	// change is enough for a row in which only the digits change.
	restlessTimes = 3
	// restlessMost is how many restless rows are remembered.
	restlessMost = 512
	// counterMost is for how long a row in which only the digits change counts, if nothing else changes:
	// after that it is a clock, and not the seconds of the work.
	counterMost = 2 * time.Minute
	// equalFrames is after how many equal screens in a row drawing them is no motion.
	equalFrames = 30
)

// motion tells when a screen last changed. It ignores rows that change all the time although the
// program does nothing, such as a clock, a counter or an animated picture. Such rows are called
// restless. They are learnt before the first message, because the program does not work then.
//
// Two rows are the same if their texts differ only in digits, wherever they stand. A row that begins with a spinner is
// never restless, because a spinner shows work.
type motion struct {
	rows     []term.Line    // of the last screen
	title    string         // of the last screen
	other    time.Time      // when anything but digits last changed
	at       time.Time      // when a row last changed that is not restless
	restless map[string]int // how often a row changed into this one
	last     time.Time      // when a restless row last changed, or one equal screen of many was drawn
	equal    int            // equal screens that were drawn in a row
	modes    [3]bool        // of the last screen
	drawn    time.Time      // when the last screen was drawn
}

// learnsRestless reports whether the program does nothing now, so that a row that changes is
// restless.
func (d *Detector) learnsRestless() bool {
	return d.submitted.IsZero() && d.claims[rungGeneric].state != profile.Working
}

// see takes a screen that was drawn at the time now. learns is true while restless rows are learnt.
func (m *motion) see(s term.Snapshot, now time.Time, learns bool) {
	first := m.rows == nil
	again := !first && !now.After(m.drawn) // the same screen is only looked at once more
	m.drawn = now
	modes := [3]bool{s.Alternate, s.CursorShown, s.Modes.BracketedPaste}
	moved := first || m.modes != modes || m.title != s.Title && !m.ignores(m.title, s.Title, learns)
	same, counts := !moved, !moved // counts: only digits have changed
	for y := 0; y < len(s.Lines) && !first; y++ {
		if y >= len(m.rows) {
			moved, counts = true, false
			break
		}
		old, row := m.rows[y], s.Lines[y]
		if old.Text == row.Text && slices.Equal(old.Spans, row.Spans) {
			continue
		}
		if same = false; !m.ignores(old.Text, row.Text, learns) {
			moved = true
			counts = counts && old.Text != row.Text && shape(old.Text) == shape(row.Text) && !text.Spins(row.Text)
		}
	}
	m.rows, m.title, m.modes = s.Lines, s.Title, modes
	switch {
	case !same:
		m.equal = 0
	case !again:
		m.equal++
	}
	if moved && !counts {
		m.other = now
	}
	switch {
	case moved && (!counts || now.Sub(m.other) < counterMost):
		m.at = now
	case moved, !same, m.equal >= equalFrames:
		m.last = now
	}
}

// ignores reports whether a row that has changed is restless. If learns is true, it records the
// change.
func (m *motion) ignores(old, row string, learns bool) bool {
	if text.Spins(old) || text.Spins(row) {
		return false
	}
	was, is := shape(old), shape(row)
	if learns && (len(m.restless) < restlessMost || m.restless[is] > 0) {
		if m.restless == nil {
			m.restless = map[string]int{}
		}
		m.restless[is]++
	}
	if !learns && was == is {
		return m.restless[is] > 0
	}
	return m.restless[was] >= restlessTimes && m.restless[is] >= restlessTimes
}

// moved returns when the program last drew something that shows its work. Output that changes
// nothing counts too, such as a query of the terminal, unless something moves all the time.
func (d *Detector) moved() time.Time {
	if m := &d.motion; d.draws() && m.last.After(m.at) {
		return m.at
	}
	return d.output
}

// Moved returns when the screen last changed, not counting rows that change all the time.
func (d *Detector) Moved() time.Time { return d.motion.at }
