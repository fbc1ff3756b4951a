package transcript

import (
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// scroller finds out what has scrolled off at the top of the alternate screen, which
// has no history. It compares what was there before with what is there now.
type scroller struct {
	last []term.Line
	gone uint64 // how many rows have scrolled off
}

// roll returns the rows that were there and have scrolled off since. If none of the
// rows is left, all of them have scrolled off, and perhaps others that were never
// seen: lost is then true.
func (s *scroller) roll(rows []term.Line) (off []term.Line, lost bool) {
	for len(rows) > 0 && profile.Blank(rows[len(rows)-1].Text) {
		rows = rows[:len(rows)-1]
	}
	old := s.last
	s.last = append([]term.Line(nil), rows...)
	best, by := len(old), 0
	for d := range old {
		same, rest := 0, min(len(old)-d, len(rows))
		if rest <= by {
			break // no more rows than that can be the same
		}
		for i := range rest {
			if old[d+i].Text == rows[i].Text && !profile.Blank(rows[i].Text) {
				same++
			}
		}
		if same > by {
			best, by = d, same
		}
	}
	return old[:best], by == 0 && len(old) > 0
}
