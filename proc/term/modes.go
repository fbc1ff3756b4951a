package term

// ansiModes handles SM and RM.
func (m *model) ansiModes(on bool) {
	for _, n := range m.parser.numbers() {
		switch n {
		case 4:
			m.modes.Insert = on
		case 20:
			m.modes.Newline = on
		}
	}
}

// decMode handles one number of DECSET or DECRST.
func (m *model) decMode(n int, on bool) {
	switch n {
	case 6:
		m.modes.Origin = on
		m.moveTo(0, 0)
	case 9, 1000, 1002, 1003:
		switch {
		case on:
			m.modes.Mouse = n
		case m.modes.Mouse == n:
			m.modes.Mouse = 0
		}
	case 25:
		m.hidden = !on
	case 47, 1047:
		m.alternate(on)
	case 1048:
		m.saveOrRestore(on)
	case 1049:
		m.alternateWithCursor(on)
	case 2004:
		if on != m.modes.BracketedPaste {
			m.drawing.over(m.on.y)
		}
		m.modes.BracketedPaste = on
		m.tell(Event{Kind: EventBracketedPaste, Code: bit(on)})
	case 2026:
		m.frame(on)
	default:
		if flag := m.flag(n); flag != nil {
			*flag = on
		}
	}
}

// flag returns where a mode is stored that is only on or off, nil for any other mode.
func (m *model) flag(n int) *bool {
	switch n {
	case 1:
		return &m.modes.AppCursor
	case 5:
		return &m.modes.ReverseVideo
	case 7:
		return &m.modes.Autowrap
	case 12:
		return &m.modes.CursorBlink
	case 66:
		return &m.modes.AppKeypad
	case 1004:
		return &m.modes.FocusEvents
	case 1006:
		return &m.modes.MouseSGR
	case 2026:
		return &m.modes.Synchronized
	}
	return nil
}

func (m *model) saveOrRestore(save bool) {
	if save {
		m.save()
	} else {
		m.restore()
	}
}

// alternateWithCursor handles mode 1049: the main screen's cursor is saved meanwhile. Switching
// the mode off restores the saved cursor even if the main screen is shown.
func (m *model) alternateWithCursor(on bool) {
	if !on {
		m.alternate(false)
		if m.on.saved.set {
			m.restore()
		}
	} else if m.on == &m.main {
		m.save()
		m.alternate(true)
	}
}

// state returns the setting of a mode as DECRQM reports it: 0 unknown, 1 set, 2 reset.
func (m *model) state(n int, private bool) int {
	is := func(on bool) int { return 2 - bit(on) }
	switch {
	case !private && n == 4:
		return is(m.modes.Insert)
	case !private && n == 20:
		return is(m.modes.Newline)
	case !private:
		return 0
	}
	switch n {
	case 6:
		return is(m.modes.Origin)
	case 9, 1000, 1002, 1003:
		return is(m.modes.Mouse == n)
	case 25:
		return is(!m.hidden)
	case 47, 1047, 1049:
		return is(m.on == &m.alt)
	case 2004:
		return is(m.modes.BracketedPaste)
	}
	if flag := m.flag(n); flag != nil {
		return is(*flag)
	}
	return 0
}

func bit(on bool) int {
	if on {
		return 1
	}
	return 0
}

// keyboards is the state of the kitty keyboard protocol for one screen: the present flags, and
// those that were pushed.
type keyboards struct {
	flags int
	stack []int
}

const maxKeyboards = 16

// keyboard handles CSI u with the private mark how.
func (m *model) keyboard(how byte) {
	p := &m.parser
	k := &m.kitty[bit(m.on == &m.alt)]
	switch how {
	case '?':
		m.answerKeyboard(k.flags)
	case '>':
		if len(k.stack) == maxKeyboards {
			k.stack = append(k.stack[:0], k.stack[1:]...)
		}
		k.stack = append(k.stack, k.flags)
		k.flags = p.number(0, 0) & 31
	case '<':
		for range min(p.number(0, 1), maxKeyboards+1) {
			k.pop()
		}
	case '=':
		flags := p.number(0, 0) & 31
		switch p.number(1, 1) {
		case 1:
			k.flags = flags
		case 2:
			k.flags |= flags
		case 3:
			k.flags &^= flags
		}
	}
}

func (k *keyboards) pop() {
	n := len(k.stack)
	if n == 0 {
		k.flags = 0
		return
	}
	k.flags = k.stack[n-1]
	k.stack = k.stack[:n-1]
}

const maxTitles = 10

// window handles CSI t: queries for sizes, and the stack of titles.
func (m *model) window(what int) {
	switch what {
	case 14, 16, 18:
		m.answerSize(what)
	case 22:
		if which := m.parser.number(1, 0); which != 1 {
			if len(m.titles) == maxTitles {
				m.titles = append(m.titles[:0], m.titles[1:]...)
			}
			m.titles = append(m.titles, m.title)
		}
	case 23:
		if which, n := m.parser.number(1, 0), len(m.titles); which != 1 && n > 0 {
			m.setTitle(m.titles[n-1])
			m.titles = m.titles[:n-1]
		}
	}
}
