package term

// charsets are G0 to G3, and which of them is in use.
type charsets struct {
	drawing [4]bool // the set is DEC special graphics instead of ASCII
	in      uint8
}

// drawingRunes are the runes for ` to ~ in the DEC special graphics set.
const drawingRunes = "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·"

// print writes one rune at the cursor.
func (m *model) print(r rune) {
	if r < 0x80 && m.set.drawing[m.set.in] && r >= '`' {
		r = drawn(r)
	}
	w := Width(r)
	b := m.on
	if w == 0 {
		if r >= 0xa0 { // the others are controls of eight bits, which do nothing
			b.lines.print(r)
			m.combine(r)
		}
		return
	}
	fits := !b.pending && b.x+w <= m.cols || m.advance(w)
	if m.modes.Insert {
		b.lines.insert(1, m.cols)
	}
	b.lines.print(r)
	if !fits {
		return
	}
	line := b.at(b.y)
	if m.modes.Insert {
		line.insert(b.x, w, m.pen.bg)
		m.work += m.cols
	}
	line.touch()
	line.split(b.x)
	line.split(b.x + w)
	line.cells[b.x] = cell{r: r, pen: m.pen}
	if w == 2 {
		line.cells[b.x+1] = cell{r: tail, pen: m.pen}
		line.wide = true
	}
	m.last = r
	m.passed(line, w)
}

// advance makes room for a rune of width w that does not fit into the row: it goes to the next
// row, or without autowrap to the end of this one. It reports false if the rune is lost.
func (m *model) advance(w int) bool {
	b := m.on
	if !m.modes.Autowrap {
		b.pending = b.pending && w > 1
		return w == 1
	}
	line := b.at(b.y)
	if !b.pending { // only half of a wide character would fit
		line.erase(b.x, m.cols, 0)
	}
	line.wrapped = true
	line.touch()
	b.x, b.pending = 0, false
	b.lines.wrap()
	m.linefeed()
	return true
}

// passed moves the cursor past the w columns that were just written.
func (m *model) passed(line *row, w int) {
	b := m.on
	m.drawing.wrote(b.y)
	b.x += w
	line.used = max(line.used, b.x)
	if b.x >= m.cols {
		b.x, b.pending = m.cols-1, true
		line.wrapped = false
	}
}

// printASCII is print for many runes at once, all from ' ' to '~'.
func (m *model) printASCII(p []byte) {
	if m.modes.Insert || m.set.drawing[m.set.in] {
		for _, c := range p {
			m.print(rune(c))
		}
		return
	}
	b := m.on
	if !m.modes.Autowrap {
		b.lines.ascii(p) // those that the last column loses are text too
	}
	for len(p) > 0 {
		if b.pending {
			m.advance(1)
		}
		n := min(len(p), m.cols-b.x)
		if m.modes.Autowrap {
			b.lines.ascii(p[:n])
		}
		if b.x+n == m.cols && !m.modes.Autowrap && n < len(p) {
			p = append(p[:n-1:n-1], p[len(p)-1]) // the last column is overwritten
		}
		line := b.at(b.y)
		line.touch()
		line.split(b.x)
		line.split(b.x + n)
		cells := line.cells[b.x : b.x+n]
		for i, c := range p[:n] {
			cells[i] = cell{r: rune(c), pen: m.pen}
		}
		m.last = rune(p[n-1])
		m.passed(line, n)
		p = p[n:]
	}
}

// combine adds a mark to the rune before the cursor.
func (m *model) combine(mark rune) {
	b := m.on
	x := b.x
	if !b.pending {
		x--
	}
	if x < 0 {
		return
	}
	line := b.at(b.y)
	if line.cells[x].r == tail {
		x--
	}
	at := &line.cells[x]
	if at.r == 0 {
		return
	}
	joined := m.clusters.join(at.r, mark, m.sweep)
	line.cells[x].r = joined
	line.touch()
}

func drawn(r rune) rune {
	n := r - '`'
	for _, d := range drawingRunes {
		if n == 0 {
			return d
		}
		n--
	}
	return r
}

// repeat handles REP: it prints the last rune again, at most as often as a row has columns.
func (m *model) repeat(n int) {
	if m.last == 0 {
		return
	}
	r := m.last
	for range min(n, m.cols) {
		m.print(r)
	}
	m.work += min(n, m.cols)
}
