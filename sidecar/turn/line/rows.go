package line

import "github.com/a2a-sidecar/sidecar/sidecar/turn/console"

// maxRow is the longest row that is kept, in runes. A longer row is passed on in
// pieces.
const maxRow = 1 << 20

// rows turns a terminal's output into finished rows of plain text and the row that
// the cursor is on. That is enough for programs that write line by line and edit
// the current line. A row that the terminal wraps (soft wrap) is one row. rows is
// not a screen: it does not follow moves up and down.
type rows struct {
	width int                          // of the terminal, in columns
	done  func(row string, whole bool) // gets a finished row; whole is false for a piece of a long one

	ansi console.ANSI
	line []rune
	cur  int // where the next character goes
	base int // where the cursor's line on the screen begins

	alternate bool // output goes to the alternate screen and makes no rows
}

func newRows(width int, done func(row string, whole bool)) *rows {
	r := &rows{width: max(width, 1), done: done}
	r.ansi = console.ANSI{Print: r.print, Control: r.control, CSI: r.edit, Private: r.mode}
	return r
}

func (r *rows) write(p []byte) { r.ansi.Write(p) }

// current returns the row that the cursor is on.
func (r *rows) current() string { return string(r.line) }

// clear forgets the row that the cursor is on.
func (r *rows) clear() { r.line, r.cur, r.base = r.line[:0], 0, 0 }

// mode follows the alternate screen.
func (r *rows) mode(final byte, param int) {
	if (final == 'h' || final == 'l') && (param == 47 || param == 1047 || param == 1049) {
		r.alternate = final == 'h'
	}
}

func (r *rows) print(c rune) {
	if r.alternate {
		return
	}
	if r.cur-r.base >= r.width { // the terminal wraps
		r.base = r.cur
	}
	for len(r.line) < r.cur {
		r.line = append(r.line, ' ')
	}
	if r.cur < len(r.line) {
		r.line[r.cur] = c
	} else {
		r.line = append(r.line, c)
	}
	r.cur++
	if len(r.line) >= maxRow {
		r.done(string(r.line), false)
		r.clear()
	}
}

func (r *rows) control(c byte) {
	if r.alternate {
		return
	}
	switch c {
	case '\n', 0x0b, 0x0c:
		r.done(string(r.line), true)
		r.clear()
	case '\r':
		r.cur = r.base
	case '\b':
		r.left(1)
	case '\t':
		r.print('\t')
	}
}

func (r *rows) left(n int) {
	r.cur = max(r.cur-n, 0)
	if r.cur < r.base {
		r.base = max(r.base-r.width, 0)
	}
}

// edit carries out a control sequence that changes the row.
func (r *rows) edit(final byte, param int) {
	if r.alternate {
		return
	}
	n := max(param, 1)
	switch final {
	case 'C':
		r.cur = min(r.cur+n, r.base+r.width-1)
	case 'D':
		r.left(n)
	case 'G', '`':
		r.cur = r.base + min(n, r.width) - 1
	case 'A':
		if up := n * r.width; r.base >= up {
			r.base, r.cur = r.base-up, r.cur-up
		}
	case 'K':
		r.eraseLine(param)
	case 'J':
		if param <= 0 {
			r.line = r.line[:min(r.cur, len(r.line))]
		}
	case 'P':
		r.remove(n)
	case '@':
		r.insert(n)
	}
}

// rest returns the characters from the cursor to the end of its line on the screen,
// and reports whether the row ends there.
func (r *rows) rest() (rest []rune, last bool) {
	at, end := min(r.cur, len(r.line)), min(r.base+r.width, len(r.line))
	return r.line[min(at, end):end], end == len(r.line)
}

// remove deletes n characters at the cursor.
func (r *rows) remove(n int) {
	rest, last := r.rest()
	n = min(n, len(rest))
	copy(rest, rest[n:])
	r.blank(rest[len(rest)-n:], last)
}

// insert makes room for n characters at the cursor. Characters that pass the edge
// of the screen are lost.
func (r *rows) insert(n int) {
	rest, last := r.rest()
	if len(rest) == 0 {
		return
	}
	if grow := min(n, r.base+r.width-len(r.line)); last && grow > 0 {
		r.line = append(r.line, make([]rune, grow)...)
		rest, _ = r.rest()
	}
	n = min(n, len(rest))
	copy(rest[n:], rest)
	r.blank(rest[:n], false)
}

// blank overwrites characters with blanks; at the end of the row it removes them.
func (r *rows) blank(chars []rune, last bool) {
	if last {
		r.line = r.line[:len(r.line)-len(chars)]
		return
	}
	for i := range chars {
		chars[i] = ' '
	}
}

// eraseLine carries out EL: it erases to the end, from the start, or all of the
// cursor's line on the screen.
func (r *rows) eraseLine(param int) {
	cur := r.cur
	switch param {
	case 1:
		r.blank(r.line[min(r.base, len(r.line)):min(cur, len(r.line))], false)
	case 2:
		r.cur = r.base
		fallthrough
	default:
		r.blank(r.rest())
	}
	r.cur = cur
}
