package term

// csi handles a control sequence, whose parts are in the parser.
func (m *model) csi(final byte) {
	p := &m.parser
	switch {
	case p.private == 0 && p.between == 0:
		m.plainCSI(final)
	case p.private == '?' && p.between == 0:
		m.privateCSI(final)
	case p.private == '?' && p.between == '$' && final == 'p':
		m.answerMode(true)
	case p.private == 0 && p.between == '$' && final == 'p':
		m.answerMode(false)
	case p.private == 0 && p.between == '!' && final == 'p':
		m.softReset()
	case p.private == 0 && p.between == ' ' && final == 'q':
		m.modes.CursorStyle = clamp(p.number(0, 0), 0, 6)
	case p.private == '>' && p.between == 0 && final == 'c':
		m.answerSecondary()
	case p.private == '>' && p.between == 0 && final == 'q':
		m.answerVersion()
	case final == 'u' && p.between == 0:
		m.keyboard(p.private)
	}
}

// plainCSI handles a sequence without a private mark.
func (m *model) plainCSI(final byte) {
	p, b := &m.parser, m.on
	switch n := p.number(0, 1); final {
	case 'A':
		from := b.y
		m.moveUp(n)
		b.lines.up(from - b.y)
	case 'B':
		from := b.y
		m.moveDown(n)
		b.lines.down(b.y - from)
	case 'e': // crosses the margin
		b.y, b.pending = min(b.y+n, m.rows-1), false
		m.keepWithin()
	case 'C', 'a':
		m.moveColumns(n)
	case 'D':
		m.moveColumns(-n)
	case 'E':
		m.moveDown(n)
		b.x = 0
	case 'F':
		m.moveUp(n)
		b.x = 0
	case 'G', '`':
		m.moveToColumn(n - 1)
	case 'H', 'f':
		m.drawing.Placed++
		m.moveTo(p.number(1, 1)-1, n-1)
	case 'd':
		m.drawing.Placed++
		m.moveTo(b.x, n-1)
	case 'I':
		m.tab(n)
	case 'Z':
		m.backTab(n)
	case 'b':
		m.repeat(n)
	case 's':
		m.save()
	case 'u':
		m.restore()
	case 'r':
		m.margins()
	case 'm':
		m.style()
	case 'g':
		m.clearTabs(p.number(0, 0))
	case 'h', 'l':
		m.ansiModes(final == 'h')
	case 'c':
		if p.number(0, 0) == 0 {
			m.answerDevice()
		}
	case 'n':
		m.answerReport(p.number(0, 0), "")
	case 't':
		m.window(p.number(0, 0))
	default:
		m.edit(final, n)
	}
}

// privateCSI handles a sequence with the private mark "?".
func (m *model) privateCSI(final byte) {
	switch final {
	case 'h', 'l':
		for _, n := range m.parser.numbers() {
			m.decMode(int(n), final == 'h')
		}
	case 'J': // selective erase: no cell is protected
		m.eraseDisplay(m.parser.number(0, 0))
	case 'K':
		m.eraseLine(m.parser.number(0, 0))
	case 'n':
		m.answerReport(m.parser.number(0, 0), "?")
	case 'u':
		m.keyboard('?')
	}
}

// edit handles a sequence that changes the content of the screen.
func (m *model) edit(final byte, n int) {
	b := m.on
	row := b.at(b.y)
	switch final {
	case 'J':
		m.eraseDisplay(m.parser.number(0, 0))
	case 'K':
		m.eraseLine(m.parser.number(0, 0))
	case 'X':
		b.pending = false
		row.erase(b.x, min(b.x+n, m.cols), m.pen.bg)
		b.lines.clear(n, m.cols)
		m.work += min(n, m.cols)
	case '@':
		b.pending = false
		row.insert(b.x, n, m.pen.bg)
		b.lines.insert(n, m.cols)
		m.work += m.cols
	case 'P':
		b.pending = false
		row.remove(b.x, n, m.pen.bg)
		b.lines.remove(n, m.cols)
		m.work += m.cols
	case 'L', 'M':
		m.editLines(final == 'L', n)
	case 'S':
		m.scrollUp(n)
	case 'T':
		if m.parser.count <= 1 { // with five numbers the sequence is about the mouse
			m.scrollDown(n)
		}
	}
}

// editLines inserts or deletes rows at the cursor, within the margins.
func (m *model) editLines(insert bool, n int) {
	b := m.on
	if b.y < b.top || b.y > b.bottom {
		return
	}
	n = min(n, b.bottom-b.y+1)
	if b.y > 0 {
		m.endLine(b.y - 1)
	}
	if insert {
		b.down(b.y, b.bottom, n, m.pen.bg)
	} else {
		b.up(b.y, b.bottom, n, m.pen.bg)
	}
	b.x, b.pending = 0, false
	m.work += n * m.cols / 8
}

// endLine notes that row y does not continue in the next row.
func (m *model) endLine(y int) {
	if row := m.on.at(y); row.wrapped {
		row.wrapped = false
		row.touch()
	}
}

// eraseLine handles EL. If the last column has just been written, nothing is to the right of
// the cursor.
func (m *model) eraseLine(how int) {
	b := m.on
	from, to := 0, m.cols
	switch how {
	case 0:
		from = b.x
		if b.pending {
			return
		}
	case 1:
		to = b.x + 1
	case 2:
	default:
		return
	}
	if from == 0 && b.y > 0 {
		m.endLine(b.y - 1)
	}
	b.at(b.y).erase(from, to, m.pen.bg)
	b.lines.erase(how, m.cols)
	m.work += (to - from) / 8
}

// eraseDisplay handles ED.
func (m *model) eraseDisplay(how int) {
	b := m.on
	from, to := 0, m.rows
	switch how {
	case 0:
		m.eraseLine(0)
		b.lines.cut()
		from = b.y + 1
	case 1:
		m.eraseLine(1)
		to = b.y
	case 2:
	case 3:
		m.history.clear()
		return
	default:
		return
	}
	for y := from; y < to; y++ {
		b.at(y).clear(m.pen.bg)
	}
	m.work += (to - from)
	if m.pen.bg != 0 {
		m.work += (to - from) * m.cols
	}
}

// margins handles DECSTBM.
func (m *model) margins() {
	b := m.on
	top, bottom := m.parser.number(0, 1)-1, min(m.parser.number(1, m.rows), m.rows)-1
	if bottom < 0 {
		bottom = m.rows - 1
	}
	if top >= bottom {
		return
	}
	b.top, b.bottom = top, bottom
	m.moveTo(0, 0)
}

func (m *model) clearTabs(how int) {
	switch how {
	case 0:
		m.tabs[m.on.x] = false
	case 3:
		m.tabs = [MaxCols]bool{}
	}
}
