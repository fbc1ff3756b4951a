package term

// cell is one column of a row. The zero value is a cell to which nothing was written.
type cell struct {
	// r is the content: 0 for nothing, tail for the right half of the wide character in the
	// cell before, less than 0 for a rune with combining marks (see clusters).
	r rune
	pen
}

// tail marks the right half of a wide character. No program can print it.
const tail rune = 1

// pen is how a cell is drawn.
type pen struct {
	fg, bg Color
	attr   attribute
}

type attribute uint16

const (
	bold attribute = 1 << iota
	faint
	italic
	underline
	blink
	reverse
	hidden
	strike
)

func (p pen) style() Style {
	is := func(a attribute) bool { return p.attr&a != 0 }
	return Style{Fg: p.fg, Bg: p.bg, Bold: is(bold), Faint: is(faint), Italic: is(italic), Underline: is(underline),
		Blink: is(blink), Reverse: is(reverse), Hidden: is(hidden), Strike: is(strike)}
}

// row is one row of a grid. Cells from used on are zero, so blank cells cost nothing to clear
// or to read.
type row struct {
	cells   []cell
	used    int
	wide    bool // there may be tails
	wrapped bool // the text continues in the next row; this is a property of the last cell
	stale   bool // text and spans do not match the cells
	changed bool // the row was changed since the last frozen frame
	text    string
	spans   []Span // never changed, only replaced: snapshots share it
}

// touch must be called before or after every change of cells or wrapped.
func (r *row) touch() { r.stale, r.changed = true, true }

// clear empties the row and gives it the background colour bg.
func (r *row) clear(bg Color) {
	clear(r.cells[:r.used])
	r.used, r.wide, r.wrapped = 0, false, false
	r.touch()
	if bg != 0 {
		r.fill(0, len(r.cells), bg)
	}
}

// fill sets the cells from..to to blanks with the background colour bg. The caller has called
// split for both ends.
func (r *row) fill(from, to int, bg Color) {
	if bg == 0 {
		if from < r.used {
			clear(r.cells[from:min(to, r.used)])
		}
		if to >= r.used {
			r.used = min(r.used, from)
		}
		return
	}
	for i := range r.cells[from:to] {
		r.cells[from+i] = cell{pen: pen{bg: bg}}
	}
	r.used = max(r.used, to)
}

// split makes sure that no wide character lies across column x: it replaces such a character by
// blanks.
func (r *row) split(x int) {
	if r.wide && x > 0 && x < len(r.cells) && r.cells[x].r == tail {
		r.cells[x-1].r, r.cells[x].r = ' ', ' '
	}
}

// erase makes the cells from..to blank.
func (r *row) erase(from, to int, bg Color) {
	if from >= to {
		return
	}
	r.touch()
	r.split(from)
	r.split(to)
	r.fill(from, to, bg)
	if to == len(r.cells) {
		r.wrapped = false
	}
}

// insert moves the cells from x on n columns to the right. What leaves the row is lost.
func (r *row) insert(x, n int, bg Color) {
	n = min(n, len(r.cells)-x)
	r.touch()
	r.wrapped = false
	r.split(x)
	r.split(len(r.cells) - n)
	if x < r.used {
		copy(r.cells[x+n:], r.cells[x:min(r.used, len(r.cells)-n)])
		r.used = min(r.used+n, len(r.cells))
	}
	r.fill(x, x+n, bg)
}

// remove removes n cells at x. The cells to their right move left.
func (r *row) remove(x, n int, bg Color) {
	n = min(n, len(r.cells)-x)
	r.touch()
	r.wrapped = false
	r.split(x)
	r.split(x + n)
	if x < r.used {
		left := copy(r.cells[x:r.used], r.cells[min(x+n, r.used):r.used])
		clear(r.cells[x+left : r.used])
		r.used = x + left
	}
	if bg != 0 {
		r.fill(len(r.cells)-n, len(r.cells), bg)
	}
}

// resize gives the row another width. What lies beyond the new width is lost. A row that
// continues in the next row still does.
func (r *row) resize(cols int) {
	r.touch()
	if cols < len(r.cells) {
		r.split(cols)
		r.cells = r.cells[:cols:cols]
		r.used = min(r.used, cols)
		return
	}
	cells := make([]cell, cols)
	copy(cells, r.cells[:r.used])
	r.cells = cells
}

// end returns where the row's text ends. It leaves out trailing blanks, except those that the
// program wrote into a row that continues in the next one.
func (r *row) end() int {
	n := r.used
	for n > 0 && (r.cells[n-1].r == 0 || r.cells[n-1].r == ' ' && !r.wrapped) {
		n--
	}
	return n
}

// grid is the rows of a screen. Rows change their places without being copied.
type grid struct {
	rows  []row
	order []uint16 // the index of the row at each place, from the top
}

func newGrid(cols, rows int) grid {
	g := grid{rows: make([]row, rows), order: make([]uint16, rows)}
	cells := make([]cell, cols*rows)
	for i := range g.rows {
		g.rows[i].cells = cells[i*cols : (i+1)*cols : (i+1)*cols]
		g.rows[i].touch()
		g.order[i] = uint16(i)
	}
	return g
}

func (g *grid) at(y int) *row { return &g.rows[g.order[y]] }

// up moves the rows top..bottom up by n and clears the rows that come in at the bottom.
func (g *grid) up(top, bottom, n int, bg Color) {
	place := g.order[top : bottom+1]
	if n == 1 {
		first := place[0]
		copy(place, place[1:])
		place[len(place)-1] = first
	} else {
		rotate(place, n)
	}
	for y := bottom - n + 1; y <= bottom; y++ {
		g.at(y).clear(bg)
	}
}

// down moves the rows top..bottom down by n and clears the rows that come in at the top.
func (g *grid) down(top, bottom, n int, bg Color) {
	place := g.order[top : bottom+1]
	rotate(place, len(place)-n)
	for y := top; y < top+n; y++ {
		g.at(y).clear(bg)
	}
}

// rotate brings the element n to the front.
func rotate(place []uint16, n int) {
	var kept [MaxRows]uint16
	head := copy(kept[:], place[:n])
	copy(place, place[n:])
	copy(place[len(place)-head:], kept[:head])
}
