package term

import "time"

// frameLimit is how long a snapshot waits for the end of a frame.
const frameLimit = time.Second

// frozen is what was shown before a frame began (mode 2026). It is a copy that is updated with
// what has changed since the frame before.
type frozen struct {
	grid
	of     *buffer // the buffer that it is a copy of
	cursor Snapshot
	count  uint64 // how many frames have begun
}

// frame handles mode 2026: a frame begins or ends. A frame that has begun does not begin again.
func (m *model) frame(on bool) {
	if on && !m.modes.Synchronized {
		m.freeze()
	}
	m.modes.Synchronized = on
}

func (m *model) freeze() {
	f := &m.frozen
	f.count++
	m.drawing.Frames++
	b := m.on
	fresh := f.of != b || len(f.rows) != m.rows || len(f.rows[0].cells) != m.cols
	if fresh {
		f.grid, f.of = newGrid(m.cols, m.rows), b
		m.work += m.cols * m.rows
	}
	copy(f.order, b.order)
	for i := range b.rows {
		from, to := &b.rows[i], &f.rows[i]
		if !from.changed && !fresh {
			continue
		}
		m.work += from.used / 4
		from.changed = false
		copy(to.cells, from.cells[:from.used])
		cells := to.cells
		*to = *from
		to.cells = cells
	}
	m.frozen.cursor = m.cursor()
}

// cursor returns a snapshot without its lines.
func (m *model) cursor() Snapshot {
	b := m.on
	modes := m.modes
	modes.KittyKeyboard = m.kitty[bit(b == &m.alt)].flags
	return Snapshot{Cols: m.cols, Rows: m.rows, CursorRow: b.y, CursorCol: b.x, CursorShown: !m.hidden,
		Alternate: b == &m.alt, Modes: modes, Scrolled: m.history.next}
}

// shown returns what a snapshot shows: the grid, and the rest in a snapshot without lines.
func (m *model) shown() (*grid, Snapshot) {
	if !m.modes.Synchronized {
		return &m.on.grid, m.cursor()
	}
	snap := m.frozen.cursor
	snap.Modes.Synchronized = true
	return &m.frozen.grid, snap
}

// lines returns the rows of g as text.
func (m *model) lines(g *grid) []Line {
	lines := make([]Line, len(g.order))
	var buf []byte
	for y := range lines {
		row := g.at(y)
		if row.stale {
			buf = appendText(buf[:0], row, &m.clusters)
			if string(buf) != row.text {
				row.text = string(buf)
			}
			row.spans, row.stale = spans(row), false
		}
		lines[y] = Line{Text: row.text, Wrapped: row.wrapped, Spans: row.spans}
	}
	return lines
}

// spans returns the parts of a row that have a style.
func spans(r *row) (all []Span) {
	for x := 0; x < r.used; {
		from, p := x, r.cells[x].pen
		for x++; x < r.used && r.cells[x].pen == p; x++ {
		}
		if p != (pen{}) {
			all = append(all, Span{From: from, To: x, Style: p.style()})
		}
	}
	return all
}

// runs returns a row as runs of one style each. Their text is that of the line, with trailing
// blanks that have a background, are reversed, underlined or struck through.
func (m *model) runs(r *row) []Run {
	end := r.end()
	for n := r.used; n > end; n-- {
		if r.cells[n-1].pen.bg != 0 || r.cells[n-1].attr&(reverse|underline|strike) != 0 {
			end = n
			break
		}
	}
	runs := []Run{}
	var buf []byte
	for x := 0; x < end; {
		p := r.cells[x].pen
		buf = buf[:0]
		for ; x < end && r.cells[x].pen == p; x++ {
			switch at := r.cells[x].r; at {
			case 0:
				buf = append(buf, ' ')
			case tail:
			default:
				buf = m.clusters.append(buf, at)
			}
		}
		runs = append(runs, Run{Text: string(buf), Style: p.style()})
	}
	return runs
}
