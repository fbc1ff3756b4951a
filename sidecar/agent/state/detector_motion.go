package state

import (
	"slices"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

const (
	restlessTimes = 3   // changes after which a row is restless; after the start, one is enough for other digits
	restlessMost  = 512 // restless rows that are remembered
	equalFrames   = 30  // equal screens in a row after which drawing them is no motion
)

// motion tells when a screen last changed, apart from what changes on it all the time although
// the program does nothing: a clock, a counter, an animated picture. Such rows are called
// restless. They are learnt before the first message, because nothing else is at work then.
//
// A row is known by its text with other digits, wherever it stands. One that begins with a
// spinner is never restless: it shows work.
type motion struct {
	rows     []term.Line // of the last screen
	title    string
	at       time.Time      // when anything changed that is not restless
	restless map[string]int // how often a row became this one
	last     time.Time      // when a restless row last changed, or an equal screen was last drawn
	equal    int            // screens in a row that were drawn and showed nothing new
	modes    [3]bool
}

// learnsRestless reports whether what changes now changes although the program does nothing.
func (d *Detector) learnsRestless() bool {
	return d.submitted.IsZero() && d.claims[rungGeneric].state != profile.Working
}

// see takes a screen, which was drawn at that time. learns is true while restless rows are learnt.
func (m *motion) see(s term.Snapshot, now time.Time, learns bool) {
	first := m.rows == nil
	modes := [3]bool{s.Alternate, s.CursorShown, s.Modes.BracketedPaste}
	moved := first || m.modes != modes || m.title != s.Title && !m.ignores(m.title, s.Title, learns)
	same := !moved
	for y := 0; y < len(s.Lines) && !first; y++ {
		if y >= len(m.rows) {
			moved = true
			break
		}
		old, row := m.rows[y], s.Lines[y]
		if old.Text == row.Text && slices.Equal(old.Spans, row.Spans) {
			continue
		}
		if same = false; !m.ignores(old.Text, row.Text, learns) {
			moved = true
		}
	}
	m.rows, m.title, m.modes = s.Lines, s.Title, modes
	if m.equal++; !same {
		m.equal = 0
	}
	switch {
	case moved:
		m.at = now
	case !same, m.equal >= equalFrames:
		m.last = now
	}
}

// ignores reports whether a row that changed is restless, and notes the change if it learns.
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

// moved returns when the program last drew anything that tells of its work. Output that changes
// nothing counts too, such as questions to the terminal, unless something moves all the time.
func (d *Detector) moved() time.Time {
	if m := &d.motion; d.draws() && m.last.After(m.at) {
		return m.at
	}
	return d.output
}

// Moved returns when the screen last changed, apart from rows that change all the time.
func (d *Detector) Moved() time.Time { return d.motion.at }
