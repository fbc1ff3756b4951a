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
}

// learnsRestless reports whether what changes now changes although the program does nothing.
func (d *Detector) learnsRestless() bool {
	return d.submitted.IsZero() && d.claims[rungGeneric].state != profile.Working
}

// see takes a screen, which was drawn at that time. learns is true while restless rows are learnt.
func (m *motion) see(s term.Snapshot, now time.Time, learns bool) {
	first := m.rows == nil
	moved := first || m.title != s.Title && !m.ignores(m.title, s.Title, learns)
	for y := 0; y < len(s.Lines) && !first; y++ {
		if y >= len(m.rows) {
			moved = true
			break
		}
		old, row := m.rows[y], s.Lines[y]
		if old.Text == row.Text && slices.Equal(old.Spans, row.Spans) {
			continue
		}
		if !m.ignores(old.Text, row.Text, learns) {
			moved = true
		}
	}
	m.rows, m.title = s.Lines, s.Title
	if moved {
		m.at = now
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

// moved returns when the program last drew anything that tells of its work.
func (d *Detector) moved() time.Time {
	if d.draws() {
		return d.motion.at
	}
	return d.output
}

// Moved returns when the screen last changed, apart from rows that change all the time.
func (d *Detector) Moved() time.Time { return d.motion.at }
