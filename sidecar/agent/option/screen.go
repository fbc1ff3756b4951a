package option

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/term"
)

const (
	rowsMax  = 60   // rows that are looked at
	bytesMax = 1200 // bytes of a row
)

// screen is the part of a snapshot that is looked at.
type screen struct {
	lines         []term.Line
	row, column   int // the cursor's place in lines
	shown         bool
	alternate     bool
	last          int // the last row that is not blank, -1 if all are
	before, after string
}

func look(s term.Snapshot) *screen {
	end := len(s.Lines)
	cursor := min(max(s.CursorRow, 0), max(end-1, 0))
	for end > cursor+1 && blank(s.Lines[end-1].Text) {
		end--
	}
	first := max(0, end-rowsMax)
	v := &screen{lines: s.Lines[first:end], row: cursor - first, column: max(s.CursorCol, 0), shown: s.CursorShown, alternate: s.Alternate}
	for v.last = len(v.lines) - 1; v.last >= 0 && blank(v.lines[v.last].Text); {
		v.last--
	}
	v.before = cut(v.text(v.row), 0, v.column)
	v.after = cut(v.text(v.row), v.column, bytesMax)
	return v
}

// text returns a row, "" if there is none.
func (v *screen) text(row int) string {
	if row < 0 || row >= len(v.lines) {
		return ""
	}
	return text.Cut(v.lines[row].Text, bytesMax)
}

func blank(row string) bool { return strings.Trim(row, " \u00a0\t") == "" }

// cut returns the columns from..to of a row.
func cut(row string, from, to int) string {
	if from >= to {
		return ""
	}
	begin, column := -1, 0
	for i, r := range row {
		if begin < 0 && column >= from {
			begin = i
		}
		if column >= to {
			return row[max(begin, 0):i]
		}
		column += term.Width(r)
	}
	if begin < 0 {
		return ""
	}
	return row[begin:]
}

// columns returns how many columns a text takes.
func columns(s string) (n int) {
	for _, r := range s {
		n += term.Width(r)
	}
	return n
}

// part is a piece of a row: the columns from..to.
type part struct{ row, from, to int }

// styles calls see with each style that is drawn in the part, the terminal's own included.
func (v *screen) styles(p part, see func(term.Style)) {
	if p.row < 0 || p.row >= len(v.lines) {
		return
	}
	at := p.from
	for _, s := range v.lines[p.row].Spans {
		if s.To <= at {
			continue
		}
		if s.From >= p.to {
			break
		}
		if s.From > at {
			see(term.Style{})
		}
		see(s.Style)
		at = s.To
	}
	if at < p.to {
		see(term.Style{})
	}
}

// above returns the rows of the question that ends above a row: those right above it, over at
// most two blank rows, up to a blank row or what was typed.
func (v *screen) above(row, left, right int) (rows []string, first int) {
	first = row
	inside := func(y int) string { return strings.TrimSpace(unframed(cut(v.text(y), left, right))) }
	for skipped := 0; first > 0 && skipped < 3 && inside(first-1) == ""; skipped++ {
		first--
	}
	end := first
	for first > 0 && end-first < textRows && inside(first-1) != "" && !typed().MatchString(inside(first-1)) {
		first--
	}
	for y := first; y < end; y++ {
		rows = append(rows, inside(y))
	}
	return rows, first
}

// typed fits a prompt with what was typed there: a question stands below it.
var typed = expression(`^[\w@:~/.+-]{0,40}[#$%>❯] \S`)

// join makes one line of rows.
func join(rows []string) string { return strings.Join(strings.Fields(strings.Join(rows, " ")), " ") }

// unframed returns a row with blanks in the place of lines that are drawn.
func unframed(row string) string {
	if strings.IndexFunc(row, drawn) < 0 {
		return row
	}
	return strings.Map(func(r rune) rune {
		if drawn(r) {
			return ' '
		}
		return r
	}, row)
}

// drawn reports whether a character is a line of a box, or a block.
func drawn(r rune) bool { return 0x2500 <= r && r <= 0x2590 }
