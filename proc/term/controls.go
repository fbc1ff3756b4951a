package term

// execute handles a control character.
func (m *model) execute(c byte) {
	b := m.on
	switch c {
	case '\a':
		m.tell(Event{Kind: EventBell})
	case '\b':
		m.moveColumns(-1)
	case '\t':
		m.tab(1)
		b.lines.print('\t')
	case '\n', '\v', '\f':
		m.newline()
		if m.modes.Newline {
			b.x = 0
		}
	case '\r':
		m.moveToColumn(0)
	case 0x0e:
		m.set.in = 1
	case 0x0f:
		m.set.in = 0
	}
}

// escape handles ESC, an optional intermediate byte, and the final byte.
func (m *model) escape(final byte) {
	switch between := m.parser.between; between {
	case 0:
		m.plainEscape(final)
	case '(', ')', '*', '+':
		m.set.drawing[between-'('] = final == '0'
	case '#':
		if final == '8' {
			m.align()
		}
	}
}

func (m *model) plainEscape(final byte) {
	b := m.on
	switch final {
	case '7':
		m.save()
	case '8':
		m.restore()
	case 'D':
		m.newline()
	case 'E':
		b.x = 0
		m.newline()
	case 'M':
		m.reverseIndex()
	case 'H':
		m.tabs[b.x] = true
	case 'Z':
		m.answerDevice()
	case 'c':
		m.fullReset()
	case 'n':
		m.set.in = 2
	case 'o':
		m.set.in = 3
	case '=':
		m.modes.AppKeypad = true
	case '>':
		m.modes.AppKeypad = false
	}
}

// align handles DECALN: it fills the screen with E.
func (m *model) align() {
	b := m.on
	for y := range m.rows {
		row := b.at(y)
		row.clear(0)
		for x := range row.cells {
			row.cells[x].r = 'E'
		}
		row.used = m.cols
	}
	b.top, b.bottom = 0, m.rows-1
	b.x, b.y, b.pending = 0, 0, false
	m.work += m.cols * m.rows
}
