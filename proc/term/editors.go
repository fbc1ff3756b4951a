package term

// shortLine is the longest line that an editor of lines may come back to, in runes.
const shortLine = 4 << 10

// up moves the cursor up n rows: within the line, back to the line that it has left, or over
// blank lines to the last one with text, as an editor does that makes room below its prompt.
func (a *assembler) up(n int) {
	if a == nil {
		return
	}
	column := a.at - a.begin()
	if a.left.depth > 0 {
		if n < a.left.depth {
			a.left.depth -= n
			return
		}
		n -= a.left.depth
		a.comeBack()
	}
	switch {
	case a.row >= n:
		a.row -= n
	case !a.back(n - a.row):
		a.astray += n
		return
	}
	a.at = a.begin() + column
}

// down moves the cursor down n rows. Below the line's last row, another line begins in the same
// column, until the cursor comes back.
func (a *assembler) down(n int) {
	if a == nil || n == 0 {
		return
	}
	back := min(n, a.astray)
	a.astray -= back
	n -= back
	column := a.at - a.begin()
	within := min(n, len(a.rows)-a.row)
	a.row += within
	a.at = a.begin() + column
	if n -= within; n > 0 {
		a.goBelow(n)
		a.at = column
	}
}

// leftLine is a line below which an editor draws: a list of what could be typed, which it takes
// away again, or what comes after the line.
type leftLine struct {
	line  []rune
	rows  []int
	row   int
	depth int      // how many rows the cursor is below it; 0: no line was left
	below [][]rune // what was drawn there, in the rows above the cursor's
}

// goBelow leaves the current line for one n rows below it.
func (a *assembler) goBelow(n int) {
	l := &a.left
	switch {
	case len(a.line) > shortLine || l.depth+n > shortLine:
		a.finish(true)
		return
	case l.depth == 0:
		l.line, l.rows, l.row = append(l.line[:0], a.line...), append(l.rows[:0], a.rows...), a.row
		l.below = l.below[:0]
	default:
		l.below = append(l.below[:min(len(l.below), l.depth-1)], append([]rune(nil), a.line...))
	}
	for range n - 1 {
		l.below = append(l.below, nil)
	}
	l.depth += n
	a.line, a.at, a.rows, a.row = a.line[:0], 0, a.rows[:0], 0
}

// comeBack goes on with the line that was left, as if nothing had been drawn below it.
func (a *assembler) comeBack() {
	l := &a.left
	a.line, a.rows, a.row = append(a.line[:0], l.line...), append(a.rows[:0], l.rows...), l.row
	l.depth = 0
}

// leave finishes the line that was left, and what was drawn below it: the cursor does not come
// back.
func (a *assembler) leave() {
	l := &a.left
	if l.depth == 0 {
		return
	}
	l.depth = 0
	line, rows, row, at := append([]rune(nil), a.line...), append([]int(nil), a.rows...), a.row, a.at
	a.line, a.rows = append(a.line[:0], l.line...), append(a.rows[:0], l.rows...)
	a.pass(true)
	for _, b := range l.below {
		a.line = append(a.line[:0], b...)
		a.pass(true)
	}
	l.below = nil
	a.line, a.rows, a.row, a.at = append(a.line[:0], line...), append(a.rows[:0], rows...), row, at
}

// lastLine is the last finished line with text, if it is short, and how many blank ones have
// followed it.
type lastLine struct {
	line   []rune
	rows   []int
	blanks int // rows of the blank ones
	lines  int // how many finished lines it is with the blank ones; 0: there is none
}

// finished takes a line that is finished now.
func (l *lastLine) finished(a *assembler) {
	switch {
	case len(a.line) > shortLine:
		l.lines = 0
	case !isBlank(a.line):
		l.line, l.rows = append(l.line[:0], a.line...), append(l.rows[:0], a.rows...)
		l.blanks, l.lines = 0, 1
	case l.lines > 0:
		l.blanks += 1 + len(a.rows)
		l.lines++
	}
}

func isBlank(line []rune) bool {
	for _, r := range line {
		if r != ' ' {
			return false
		}
	}
	return true
}

// back goes on with the last line with text, n rows above the current one's first row, as if
// the blank lines after it had not been. It reports false if that row is not one of its.
func (a *assembler) back(n int) bool {
	l := &a.last
	row := len(l.rows) + l.blanks + 1 - n // of the last line
	if l.lines == 0 || !isBlank(a.line) || row < 0 || row > len(l.rows) || a.astray > 0 {
		return false
	}
	unread := max(0, len(a.finished)-l.lines) // those of them that were read already stay read
	for _, p := range a.finished[unread:] {
		a.size -= len(p.Text) + 1
	}
	a.finished = a.finished[:unread]
	a.line, a.rows, a.row = append(a.line[:0], l.line...), append(a.rows[:0], l.rows...), row
	l.lines = 0
	return true
}
