package tui

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/option"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// moves returns the keys that may move a marker forward or back, the most likely first. Letters
// are tried last, and only where no cursor waits for text.
func moves(axis option.Axis, forward, letters, application bool) (keys []string) {
	down, tab, letter := []string{"B", "C"}, "\t", []string{"j", "l"}
	if !forward {
		down, tab, letter = []string{"A", "D"}, "\x1b[Z", []string{"k", "h"}
	}
	first := 0
	if axis == option.Across {
		first = 1
	}
	arrow := func(which string) string {
		if application {
			return "\x1bO" + which
		}
		return "\x1b[" + which
	}
	keys = []string{arrow(down[first]), tab, arrow(down[1-first])}
	if letters {
		keys = append(keys, letter[first])
	}
	return keys
}

// typeOption types an option, and then Enter if the program reads lines, or has shown what was
// typed and waits for more.
func (m *machine) typeOption(e *event) {
	c := m.choosing
	row := strings.TrimRight(rowBefore(e), " ")
	switch {
	case e.modeErr != nil:
		m.choosing = nil
		m.end(e.modeErr)
	case c.at.IsZero() && e.mode.Canonical:
		m.typeKeys(c.option.Type + m.enterKey())
		m.chosen()
	case c.at.IsZero():
		c.row, c.at, c.from = row, m.now, int(cursorAt(e.Screen))
		m.typeKeys(c.option.Type)
	case e.over, int(cursorAt(e.Screen)) != c.from:
		m.chosen()
	case m.within(c.at, m.timing.MoveLimit):
	case row == c.row, row == c.row+c.option.Type, row == c.row+" "+c.option.Type:
		m.typeKeys(m.enterKey())
		m.chosen()
	default:
		m.chosen()
	}
}

// rowBefore returns the cursor's row up to the cursor.
func rowBefore(e *event) string {
	before, _ := profile.AtCursor(e.Screen)
	return before
}
