package transcript

import (
	"slices"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// stood is what the transcript's part of the screen showed before the message.
type stood struct {
	first uint64
	rows  []string
}

// has reports whether the row was already there.
func (o *stood) has(text string, n uint64) bool {
	return n >= o.first && n-o.first < uint64(len(o.rows)) && o.rows[n-o.first] == text
}

// tear takes a row that shows some of the message as part of its echo, whose first row
// has not been seen: a message that is longer than the screen pushes its own beginning
// off, as a part of the input box.
func (p *reading) tear(text string, n uint64) bool {
	r := p.r
	if p.at != before || !r.begun || r.rules.Text == nil || r.rules.Text.Fits(text) || !r.want.holds(text) || r.stood.has(text, n) {
		return false
	}
	p.begin(0, true)
	p.torn = true
	return true
}

// found reports whether the message's echo is known for certain.
func (p *reading) found() bool { return p.at != before && !p.torn }

// earlyMax is how many rows are kept while no echo has been seen.
const earlyMax = 10_000

// early holds the rows that have scrolled off since the message, until its echo or its
// answer is found.
type early struct{ rows []earlyRow }

type earlyRow struct {
	line term.Line
	n    uint64
	cols int
}

// keep keeps a row that past has read.
func (e *early) keep(past *reading, l term.Line, n uint64, cols int) {
	if past.found() || len(past.text) > 0 {
		e.rows = nil
		return
	}
	if len(e.rows) < earlyMax {
		e.rows = append(e.rows, earlyRow{l, n, cols})
	}
}

// unled returns the answer to a message whose echo was not found: everything that is
// new since the message was typed, without the message itself and without what the
// agent draws around text. If not even the first row of a block is there, a row that
// looks like a further one counts as text.
func (r *Reader) unled(s term.Snapshot) string {
	if !r.begun {
		return ""
	}
	end, _ := liveRow(r.rules, texts(s.Lines))
	top := s.Scrolled
	if s.Alternate {
		top = r.scroll.gone
	}
	rows := slices.Clone(r.early.rows)
	for i, l := range s.Lines[:end] {
		if n := top + uint64(i); s.Alternate || n >= r.next {
			rows = append(rows, earlyRow{l, n, s.Cols})
		}
	}
	if r.rules.Text != nil {
		if text := r.loose(rows, inEcho); text != "" {
			return text
		}
	}
	return r.loose(rows, inText)
}

// loose reads the rows that are new. It skips rows that show the message until a row
// shows something else.
func (r *Reader) loose(rows []earlyRow, at where) string {
	now := reading{r: r, at: at, join: joiner{mark: -1, para: -1}}
	now.r = &Reader{rules: r.rules, want: r.want, mark: ^uint64(0)} // no row is an echo
	other, passing := uint64(0), false                              // below the echo of an earlier message
	for _, row := range rows {
		text := row.line.Text
		groups := r.rules.Echo.Groups(text)
		if groups != nil && !r.stood.has(text, row.n) {
			if passing = r.earlier.has(profile.Group(groups, len(groups)-1), other, row.n); passing {
				other = row.n + 1
			}
		}
		switch {
		case passing, groups != nil, r.stood.has(text, row.n):
			continue
		case len(now.text) == 0 && len(now.held) == 0 && !r.rules.Text.Fits(text) && (r.want.holds(text) || r.want.is(text)):
			continue
		}
		now.row(row.line, row.n, row.cols)
	}
	now.release()
	return string(trim(now.text))
}
