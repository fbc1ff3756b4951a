package term

import "fmt"

// Redraw returns the sequences that draw the present screen, with its modes, on an empty
// terminal of the same size: first the main screen, then, if it is shown, the alternate one.
// They draw what the program has drawn so far, even in the middle of a frame.
func (s *Screen) Redraw() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.model
	d := drawing{m: m}
	d.add("\x1b[?7h\x1b[m\x1b[2J\x1b[H")
	d.screen(&m.main)
	if m.on == &m.alt {
		d.cursor(&m.main)
		d.saved(&m.main)
		d.keyboard(m.kitty[0])
		d.add("\x1b[?1047h\x1b[m\x1b[2J\x1b[H")
		d.screen(&m.alt)
	}
	d.saved(m.on)
	d.tabs()
	if m.on.top != 0 || m.on.bottom != m.rows-1 {
		d.add("\x1b[%d;%dr", m.on.top+1, m.on.bottom+1)
	}
	d.cursor(m.on)
	d.pen(m.pen)
	d.charsets(m.set)
	d.modes(m.modes)
	d.keyboard(m.kitty[bit(m.on == &m.alt)])
	if m.title != "" {
		d.add("\x1b]2;%s\x1b\\", m.title)
	}
	return d.out
}

// drawing collects the sequences.
type drawing struct {
	m   *model
	out []byte
}

func (d *drawing) add(format string, args ...any) { d.out = fmt.Appendf(d.out, format, args...) }

// screen writes the rows of b. A row that continues in the next row is left to wrap.
func (d *drawing) screen(b *buffer) {
	wrapped := false
	for y := range d.m.rows {
		row := b.at(y)
		if !wrapped && row.used > 0 {
			d.add("\x1b[%d;1H", y+1)
		}
		wrapped = false
		if row.used > 0 {
			d.row(row)
			wrapped = y+1 < d.m.rows && wraps(row, b.at(y+1))
		}
	}
	d.pen(pen{})
}

// wraps reports whether a terminal that has written line wraps into the row next.
func wraps(line, next *row) bool {
	last := len(line.cells) - 1
	switch {
	case !line.wrapped || next.used == 0 || next.cells[0].r == 0:
		return false
	case line.used == last: // a wide character did not fit
		return next.cells[1].r == tail && line.cells[last-1].r != 0
	}
	return line.used > last && line.cells[last].r != 0
}

// row writes one row from its beginning.
func (d *drawing) row(r *row) {
	var now pen
	d.pen(now)
	end := r.used
	for x := 0; x < end; x++ {
		at := r.cells[x]
		if at.r == tail {
			continue
		}
		if at.pen != now {
			d.pen(at.pen)
			now = at.pen
		}
		if at.r == 0 {
			n := blanks(r, x)
			d.add("\x1b[%dX", n)
			if x += n - 1; x+1 < end {
				d.add("\x1b[%dG", x+2)
			}
			continue
		}
		d.out = d.m.clusters.append(d.out, at.r)
	}
}

// blanks returns how many cells from x on are blank in the same way.
func blanks(r *row, x int) int {
	n := 1
	for x+n < r.used && r.cells[x+n] == r.cells[x] {
		n++
	}
	return n
}

// saved performs DECSC with the state that b has saved.
func (d *drawing) saved(b *buffer) {
	s := b.saved
	if !s.set {
		return
	}
	d.at(s.x, s.y)
	d.pen(s.pen)
	d.charsets(s.charset)
	if s.origin {
		d.add("\x1b[?6h")
		d.at(s.x, s.y)
	}
	d.add("\x1b7")
	if s.origin {
		d.add("\x1b[?6l")
	}
	d.pen(pen{})
	d.charsets(charsets{})
}

func (d *drawing) at(x, y int) { d.add("\x1b[%d;%dH", y+1, x+1) }

// cursor moves the cursor to its position. If a wrap is pending, it writes the last column
// again.
func (d *drawing) cursor(b *buffer) {
	m := d.m
	row := b.at(b.y)
	if m.modes.Origin && b == m.on {
		d.add("\x1b[?6h")
		d.at(b.x, b.y-b.top)
	} else {
		d.at(b.x, b.y)
	}
	if !b.pending || row.used < m.cols || row.wrapped {
		return
	}
	x := b.x
	if row.cells[x].r == tail {
		x--
		d.add("\x1b[D")
	}
	if at := row.cells[x]; at.r != 0 {
		d.pen(at.pen)
		d.out = m.clusters.append(d.out, at.r)
	}
}

// tabs sets the tab stops if they differ from those at the start.
func (d *drawing) tabs() {
	stops := d.m.tabs[:d.m.cols]
	usual := true
	for x, set := range stops {
		usual = usual && set == (x%8 == 0)
	}
	if usual {
		return
	}
	d.add("\x1b[3g")
	for x, set := range stops {
		if set {
			d.add("\x1b[%dG\x1bH", x+1)
		}
	}
}

func (d *drawing) charsets(c charsets) {
	for i, drawing := range c.drawing {
		set := byte('B')
		if drawing {
			set = '0'
		}
		d.out = append(d.out, '\x1b', "()*+"[i], set)
	}
	d.add("%s", [4]string{"\x0f", "\x0e", "\x1bn", "\x1bo"}[c.in])
}

// pen sets how the following text is drawn.
func (d *drawing) pen(p pen) {
	d.add("\x1b[0")
	for i, n := range []int{1, 2, 3, 4, 5, 7, 8, 9} {
		if p.attr&(bold<<i) != 0 {
			d.add(";%d", n)
		}
	}
	d.color(p.fg, 38)
	d.color(p.bg, 48)
	d.add("m")
}

func (d *drawing) color(c Color, code int) {
	if n, ok := c.Palette(); ok {
		d.add(";%d;5;%d", code, n)
	} else if r, g, b, ok := c.RGB(); ok {
		d.add(";%d;2;%d;%d;%d", code, r, g, b)
	}
}

// modes sets the modes that differ from those at the start.
func (d *drawing) modes(m Modes) {
	for _, mode := range []struct {
		on  bool
		set string
	}{
		{m.BracketedPaste, "\x1b[?2004h"}, {m.Mouse != 0, fmt.Sprintf("\x1b[?%dh", m.Mouse)}, {m.MouseSGR, "\x1b[?1006h"},
		{m.FocusEvents, "\x1b[?1004h"}, {m.AppCursor, "\x1b[?1h"}, {m.AppKeypad, "\x1b="},
		{!m.Autowrap, "\x1b[?7l"}, {m.Insert, "\x1b[4h"}, {m.Newline, "\x1b[20h"},
		{m.ReverseVideo, "\x1b[?5h"}, {m.CursorBlink, "\x1b[?12h"}, {m.CursorStyle != 0, fmt.Sprintf("\x1b[%d q", m.CursorStyle)},
		{d.m.hidden, "\x1b[?25l"},
	} {
		if mode.on {
			d.add("%s", mode.set)
		}
	}
}

// keyboard sets the flags of the kitty protocol for the screen that is shown.
func (d *drawing) keyboard(k keyboards) {
	if k.flags != 0 {
		d.add("\x1b[=%du", k.flags)
	}
}
