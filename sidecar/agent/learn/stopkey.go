package learn

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

const (
	keyEscape = "\x1b"
	keyCtrlC  = "\x03"
)

var (
	// byEscape and byControl match the text by which an agent says how a turn is stopped.
	byEscape  = expression(`\besc(?:ape)? (?:again )?(?:to )?(?:interrupt|cancel|stop)`)
	byControl = expression(`(?:\bctrl[+-]c|\^c)(?: again)? (?:to )?(?:interrupt|cancel|stops?)`)
)

// stopKey returns the key that a frame names for stopping a turn, nil if it names none.
func (f *frame) stopKey() []string {
	for i := len(f.rows) - 1; i >= 0; i-- {
		switch lower := strings.ToLower(f.rows[i].words); {
		case !strings.Contains(lower, "esc") && !strings.Contains(lower, "ctrl") && !strings.Contains(lower, "^c"):
		case byEscape().MatchString(lower):
			return []string{keyEscape}
		case byControl().MatchString(lower):
			return []string{keyCtrlC}
		}
	}
	return nil
}

// CanStop reports whether the screen says how the turn is stopped, in a row that was not there before
// the message: the agent is at work, however still its screen is.
func (l *Learner) CanStop(s term.Snapshot) bool {
	v := see(s)
	for _, row := range v.rows[max(0, len(v.rows)-signRows):] {
		lower := strings.ToLower(row)
		if !l.known[row] && (byEscape().MatchString(lower) || byControl().MatchString(lower)) {
			return true
		}
	}
	return false
}
