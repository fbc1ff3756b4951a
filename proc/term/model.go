package term

// model is the terminal itself: it knows what each byte does to the screen. It has no lock and
// no clock, and calls no one: events and answers stay in it until they are taken.
type model struct {
	cols, rows int
	main, alt  buffer
	on         *buffer // the buffer that is shown
	pen        pen
	set        charsets
	last       rune // the rune that REP repeats, 0 if there is none
	tabs       [MaxCols]bool
	modes      Modes
	hidden     bool // the cursor is hidden
	kitty      [2]keyboards
	title      string
	titles     []string
	history    history
	clusters   clusters
	parser     parserState
	notice     notice // an unfinished notification of OSC 99
	frozen     frozen // what was shown before the present frame
	drawing    drawings
	answers    Answers

	events  []Event
	replies []byte
	work    int // cells touched, in addition to one for each byte
}

// buffer is the main or the alternate screen.
type buffer struct {
	grid
	x, y        int
	pending     bool // the last column was written, so the next rune goes to the next row
	top, bottom int  // the margins, first and last row
	saved       saved
	capture     bool       // rows that leave at the top go into the history
	lines       *assembler // nil if no one reads the text as lines, and on the alternate screen
}

// saved is the state that DECSC saves.
type saved struct {
	set     bool
	x, y    int
	pending bool
	origin  bool
	pen     pen
	charset charsets
}

func newModel(cols, rows, historyBytes int, answers Answers) *model {
	m := &model{cols: cols, rows: rows, answers: answers}
	m.history.limit = historyBytes
	m.main = newBuffer(cols, rows)
	m.main.capture = true
	m.alt = newBuffer(cols, rows)
	m.on = &m.main
	m.reset()
	return m
}

func newBuffer(cols, rows int) buffer {
	return buffer{grid: newGrid(cols, rows), bottom: rows - 1}
}

// reset does what RIS does, except for the text.
func (m *model) reset() {
	m.softReset()
	m.modes = Modes{Autowrap: true}
	m.last = 0
	m.kitty = [2]keyboards{}
	for x := range m.tabs {
		m.tabs[x] = x%8 == 0
	}
}

// softReset handles DECSTR.
func (m *model) softReset() {
	m.pen, m.set, m.hidden = pen{}, charsets{}, false
	m.modes.Insert, m.modes.Origin, m.modes.Autowrap = false, false, true
	m.modes.AppCursor, m.modes.AppKeypad = false, false
	for _, b := range []*buffer{&m.main, &m.alt} {
		b.top, b.bottom, b.saved = 0, m.rows-1, saved{}
	}
}

// fullReset handles RIS.
func (m *model) fullReset() {
	m.alternate(false)
	if m.modes.BracketedPaste {
		m.tell(Event{Kind: EventBracketedPaste})
	}
	m.reset()
	for y := range m.rows {
		m.main.at(y).clear(0)
	}
	m.work += m.cols * m.rows
	m.main.x, m.main.y, m.main.pending = 0, 0, false
	m.history.clear()
}

// tell keeps an event until it is taken. Of several bells in a row it keeps one.
func (m *model) tell(e Event) {
	if n := len(m.events); e.Kind == EventBell && n > 0 && m.events[n-1].Kind == EventBell {
		return
	}
	m.events = append(m.events, e)
}

// newline ends the line of text that the cursor is on, and moves the cursor down one row.
func (m *model) newline() {
	b := m.on
	b.pending = false
	b.lines.newline()
	m.linefeed()
}

// linefeed moves the cursor down one row, or scrolls at the bottom margin.
func (m *model) linefeed() {
	b := m.on
	switch {
	case b.y == b.bottom:
		m.scrollUp(1)
	case b.y < m.rows-1:
		b.y++
	}
}

// scrollUp moves the rows within the margins up by n. Rows that leave the main screen at its
// top go into the history.
func (m *model) scrollUp(n int) {
	b := m.on
	n = min(n, b.bottom-b.top+1)
	if b.capture && b.top == 0 {
		for y := range n {
			m.history.add(b.at(y), &m.clusters)
		}
	}
	b.up(b.top, b.bottom, n, m.pen.bg)
	m.work += n * m.cols / 8
}

// scrollDown moves the rows within the margins down by n.
func (m *model) scrollDown(n int) {
	b := m.on
	n = min(n, b.bottom-b.top+1)
	b.down(b.top, b.bottom, n, m.pen.bg)
	m.work += n * m.cols / 8
}

// reverseIndex moves the cursor up one row, or scrolls at the top margin.
func (m *model) reverseIndex() {
	b := m.on
	b.pending = false
	switch {
	case b.y == b.top:
		m.scrollDown(1)
	case b.y > 0:
		b.y--
	}
}

// moveTo moves the cursor to column x and row y. In origin mode y counts from the top margin.
func (m *model) moveTo(x, y int) {
	b := m.on
	b.pending = false
	b.x = clamp(x, 0, m.cols-1)
	if m.modes.Origin {
		b.y = clamp(y+b.top, b.top, b.bottom)
	} else {
		b.y = clamp(y, 0, m.rows-1)
	}
}

// moveUp and moveDown stop at a margin that is in their way.
func (m *model) moveUp(n int) {
	b := m.on
	b.pending = false
	if b.y >= b.top {
		b.y = max(b.y-n, b.top)
	} else {
		b.y = max(b.y-n, 0)
	}
}

func (m *model) moveDown(n int) {
	b := m.on
	b.pending = false
	if b.y <= b.bottom {
		b.y = min(b.y+n, b.bottom)
	} else {
		b.y = min(b.y+n, m.rows-1)
	}
}

func (m *model) moveColumns(n int) {
	b := m.on
	from := b.x + bit(b.pending)
	b.pending = false
	b.x = clamp(b.x+n, 0, m.cols-1)
	b.lines.move(b.x - from)
}

// moveToColumn moves the cursor to column x of its row.
func (m *model) moveToColumn(x int) {
	b := m.on
	b.x, b.pending = clamp(x, 0, m.cols-1), false
	b.lines.column(b.x)
}

// tab moves the cursor to the nth next tab stop.
func (m *model) tab(n int) {
	b := m.on
	if b.pending {
		return
	}
	for ; n > 0 && b.x < m.cols-1; n-- {
		for b.x++; b.x < m.cols-1 && !m.tabs[b.x]; {
			b.x++
		}
	}
}

// backTab moves the cursor to the nth tab stop before it.
func (m *model) backTab(n int) {
	b := m.on
	b.pending = false
	for ; n > 0 && b.x > 0; n-- {
		for b.x--; b.x > 0 && !m.tabs[b.x]; {
			b.x--
		}
	}
}

// save handles DECSC, restore DECRC.
func (m *model) save() {
	b := m.on
	b.saved = saved{set: true, x: b.x, y: b.y, pending: b.pending, origin: m.modes.Origin, pen: m.pen, charset: m.set}
}

func (m *model) restore() {
	b := m.on
	s := b.saved
	b.x, b.y, b.pending = min(s.x, m.cols-1), min(s.y, m.rows-1), s.pending
	m.pen, m.set, m.modes.Origin = s.pen, s.charset, s.origin
	m.keepWithin()
}

// keepWithin moves the cursor inside the margins if origin mode is set, in which it cannot
// leave them.
func (m *model) keepWithin() {
	if b := m.on; m.modes.Origin {
		b.y = clamp(b.y, b.top, b.bottom)
	}
}

// alternate shows the alternate screen, empty, or the main screen as it was left. The cursor
// keeps its position.
func (m *model) alternate(on bool) {
	from, to := m.on, &m.main
	if on {
		to = &m.alt
	}
	if from == to {
		return
	}
	to.x, to.y, to.pending = from.x, from.y, from.pending
	m.on = to
	code := 0
	if !on {
		m.drawing.over(to.y)
	}
	if on {
		code = 1
		for y := range m.rows {
			m.alt.at(y).clear(m.pen.bg)
		}
		m.alt.top, m.alt.bottom, m.alt.saved = 0, m.rows-1, saved{}
		m.work += m.rows * m.cols / 8
	}
	m.keepWithin()
	m.tell(Event{Kind: EventAlternate, Code: code})
}

// resize gives both screens a new size. If there are too many rows, those below the cursor are
// removed first, from the bottom, then those at the top.
func (m *model) resize(cols, rows int) {
	for _, b := range []*buffer{&m.main, &m.alt} {
		if over := len(b.order) - rows; over > 0 {
			m.shrink(b, over)
		}
		old := b.grid
		b.grid = newGrid(cols, rows)
		for y := range min(rows, len(old.order)) {
			row := *old.at(y)
			row.resize(cols)
			*b.at(y) = row
		}
		b.top, b.bottom = 0, rows-1
		b.x, b.y = min(b.x, cols-1), min(b.y, rows-1)
		b.pending = false
	}
	m.cols, m.rows = cols, rows
}

// shrink drops rows of b: those below the cursor, then those at the top.
func (m *model) shrink(b *buffer, over int) {
	below := min(over, len(b.order)-1-b.y)
	top := over - below
	for y := range top {
		if b.capture {
			m.history.add(b.at(y), &m.clusters)
		}
	}
	b.order = b.order[top : len(b.order)-below]
	b.y -= top
	b.saved.y = max(b.saved.y-top, 0)
}

// sweep removes combining marks that are no longer on a screen.
func (m *model) sweep() {
	m.clusters.sweep(&m.main.grid, &m.alt.grid, &m.frozen.grid)
	m.work += 3 * m.cols * m.rows
}
