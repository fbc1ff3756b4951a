package term

// maxLine is the longest line that is kept, in runes. A longer line is passed on in pieces.
const maxLine = 1 << 20

// keptLine is how much memory for the current line is kept for the next one, in runes.
const keptLine = 64 << 10

// assembler makes lines of text from what the model does on the main screen: the finished lines
// and the one that the cursor is on. It is told of each printed rune and of each edit of the
// cursor's row. A row that the terminal wraps (soft wrap) and the rows after it are one line, and
// tabs and blanks stay as they were printed. It does not follow the cursor to other lines, but
// as line editors move it (editors.go). A nil assembler ignores what it is told.
type assembler struct {
	line []rune
	at   int   // where the next rune goes
	rows []int // where the rows of the line begin, but the first; fewer runes than columns fit where some are wide
	row  int   // the cursor's row, from 0

	last   lastLine
	left   leftLine
	astray int // how many rows the cursor is above the line, where it was not followed

	keep     bool // finished lines are kept
	finished []Printed
	size     int // of finished, in bytes, with one for each newline
}

// ascii takes printed bytes, all from ' ' to '~'.
func (a *assembler) ascii(p []byte) {
	if a == nil {
		return
	}
	if a.at != len(a.line) || len(a.line)+len(p) >= maxLine {
		for _, c := range p {
			a.print(rune(c))
		}
		return
	}
	for _, c := range p {
		a.line = append(a.line, rune(c))
	}
	a.at = len(a.line)
}

// print takes one printed rune, or a tab.
func (a *assembler) print(r rune) {
	if a == nil {
		return
	}
	for len(a.line) < a.at {
		a.line = append(a.line, ' ')
	}
	if a.at < len(a.line) {
		a.line[a.at] = r
	} else {
		a.line = append(a.line, r)
	}
	a.at++
	if len(a.line) >= maxLine {
		a.finish(false)
	}
}

// wrap says that the terminal goes on in the next row.
func (a *assembler) wrap() {
	if a == nil {
		return
	}
	if a.row < len(a.rows) {
		a.rows[a.row] = a.at
	} else {
		a.rows = append(a.rows, a.at)
	}
	a.row++
}

// begin returns where the cursor's row begins.
func (a *assembler) begin() int {
	if a.row == 0 {
		return 0
	}
	return a.rows[a.row-1]
}

// end returns where the cursor's row of cols columns ends at most.
func (a *assembler) end(cols int) int {
	if a.row < len(a.rows) {
		return a.rows[a.row]
	}
	return a.begin() + cols
}

// newline ends the line.
func (a *assembler) newline() {
	if a != nil {
		a.finish(true)
	}
}

// finish passes the line on, whole or as a piece of a longer one.
func (a *assembler) finish(whole bool) {
	a.leave()
	a.pass(whole)
}

// pass is finish for the current line alone.
func (a *assembler) pass(whole bool) {
	if a.keep {
		text := string(a.line)
		a.finished = append(a.finished, Printed{Text: text, Whole: whole})
		a.size += len(text) + 1
	}
	a.last.finished(a)
	a.astray = max(a.astray-1, 0)
	a.line, a.at, a.rows, a.row = a.line[:0], 0, a.rows[:0], 0
	if cap(a.line)+cap(a.rows) > keptLine {
		a.line, a.rows = nil, nil
	}
}

// take returns the finished lines and forgets them.
func (a *assembler) take() []Printed {
	taken := a.finished
	a.finished, a.size = nil, 0
	return taken
}

// column moves the cursor to column x of its row.
func (a *assembler) column(x int) {
	if a != nil {
		a.at = a.begin() + x
	}
}

// move moves the cursor by n columns within its row.
func (a *assembler) move(n int) {
	if a != nil {
		a.at = max(a.at+n, a.begin())
	}
}

// rest returns the runes from the cursor to the end of its row, and reports whether the line
// ends there.
func (a *assembler) rest(cols int) (rest []rune, last bool) {
	if a == nil {
		return nil, false
	}
	at, end := min(a.at, len(a.line)), min(a.end(cols), len(a.line))
	return a.line[min(at, end):end], end == len(a.line)
}

// remove removes n runes at the cursor.
func (a *assembler) remove(n, cols int) {
	rest, last := a.rest(cols)
	n = min(n, len(rest))
	copy(rest, rest[n:])
	a.blank(rest[len(rest)-n:], last)
}

// clear erases n runes at the cursor.
func (a *assembler) clear(n, cols int) {
	rest, last := a.rest(cols)
	n = min(n, len(rest))
	a.blank(rest[:n], last && n == len(rest))
}

// insert makes room for n runes at the cursor. Runes that leave the row are lost.
func (a *assembler) insert(n, cols int) {
	rest, last := a.rest(cols)
	if len(rest) == 0 {
		return
	}
	if grow := min(n, a.end(cols)-len(a.line)); last && grow > 0 {
		a.line = append(a.line, make([]rune, grow)...)
		rest, _ = a.rest(cols)
	}
	n = min(n, len(rest))
	copy(rest[n:], rest)
	a.blank(rest[:n], false)
}

// blank overwrites runes with blanks. At the end of the line it removes them.
func (a *assembler) blank(runes []rune, last bool) {
	if last {
		a.line = a.line[:len(a.line)-len(runes)]
		return
	}
	for i := range runes {
		runes[i] = ' '
	}
}

// erase handles EL: it erases to the end, from the start, or all of the cursor's row.
func (a *assembler) erase(how, cols int) {
	switch {
	case a == nil:
		return
	case how == 1:
		a.blank(a.line[min(a.begin(), len(a.line)):min(a.at+1, len(a.line))], false)
		return
	}
	at := a.at
	if how == 2 {
		a.at = a.begin()
	}
	a.blank(a.rest(cols))
	a.at = at
}

// cut removes what comes after the cursor, in all rows.
func (a *assembler) cut() {
	if a != nil {
		a.line, a.rows = a.line[:min(a.at, len(a.line))], a.rows[:a.row]
	}
}
