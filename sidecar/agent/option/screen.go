package option

import (
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/term"
)

// The limits of what is looked at: a question is at the bottom of the screen, and its rows are no
// longer than a wide screen. They bound the time of one look.
const (
	rowsMax  = 60   // rows
	bytesMax = 1200 // bytes of a row
)

// screen is the part of a snapshot that is looked at.
type screen struct {
	lines         []term.Line
	row, column   int // the cursor's place in lines
	shown         bool
	alternate     bool
	toggles       bool         // a hint names the key that checks a box
	marks         bool         // a count says how many options are checked
	hints         map[int]bool // the rows of which isHint is known
	hintsBelow    bool         // hints stand below the box that this screen is
	last          int          // the last row that is not blank; -1 if all rows are blank
	before, after string       // the cursor's row up to the cursor, and from there on
}

// look returns the last rows of a snapshot, with boxes of + - | drawn as boxes of lines.
func look(s term.Snapshot) *screen {
	end := len(s.Lines)
	cursor := min(max(s.CursorRow, 0), max(end-1, 0))
	for end > cursor+1 && blank(s.Lines[end-1].Text) {
		end--
	}
	first := max(0, end-rowsMax)
	v := &screen{
		lines: slices.Clone(s.Lines[first:end]), row: cursor - first, column: max(s.CursorCol, 0),
		shown: s.CursorShown, alternate: s.Alternate,
	}
	v.drawASCIIFrames()
	v.settle()
	return v
}

// settle computes what follows from the rows and the place of the cursor.
func (v *screen) settle() {
	for v.last = len(v.lines) - 1; v.last >= 0 && blank(v.lines[v.last].Text); {
		v.last--
	}
	v.before = cut(v.text(v.row), 0, v.column)
	v.after = cut(v.text(v.row), v.column, bytesMax)
	v.hints = map[int]bool{}
	for y := range v.lines {
		row := strings.TrimSpace(unframed(v.text(y)))
		v.toggles = v.toggles || y > v.last-footMax && toggled().MatchString(row)
		v.marks = v.marks || len(row) <= shortMax && marksCount().MatchString(row)
	}
}

// text returns a row; it is "" if there is no such row.
func (v *screen) text(row int) string {
	if row < 0 || row >= len(v.lines) {
		return ""
	}
	return text.Cut(v.lines[row].Text, bytesMax)
}

// blank reports whether nothing is to be seen in a row.
func blank(row string) bool { return strings.Trim(row, " \u00a0\t") == "" }

// cut returns the columns of a row from the column from to the one before to.
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

// columns returns how many columns a text takes on the screen.
func columns(s string) (n int) {
	for _, r := range s {
		n += term.Width(r)
	}
	return n
}

// part is a piece of a row, from the column from to the one before to.
type part struct{ row, from, to int }

// styles calls see with each style of the part from left to right, and with how many columns have
// it. A piece that is drawn in the terminal's own style counts too.
func (v *screen) styles(p part, see func(s term.Style, columns int)) {
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
			see(term.Style{}, s.From-at)
			at = s.From
		}
		see(s.Style, min(s.To, p.to)-at)
		at = s.To
	}
	if at < p.to {
		see(term.Style{}, p.to-at)
	}
}

// gapMax is how many blank rows may stand between a question and its options: a paragraph's end,
// and the lines of a box around the options.
const gapMax = 3

// above returns the rows of the question that ends above a row, and the first of them. They end
// with a blank row, or with a row in which a command was typed.
func (v *screen) above(row, left, right int) (rows []string, first int) {
	first = row
	inside := func(y int) string { return strings.TrimSpace(unframed(cut(v.text(y), left, right))) }
	for skipped := 0; first > 0 && skipped < gapMax && inside(first-1) == ""; skipped++ {
		first--
	}
	end := first
	for first > 0 && end-first < textRows && inside(first-1) != "" && !command().MatchString(inside(first-1)) {
		first--
	}
	for y := first; y < end; y++ {
		rows = append(rows, inside(y))
	}
	return rows, first
}

// command matches a prompt and the command that was typed there. A question stands below it.
var command = expression(`^[\w@:~/.+-]{0,40}[#$%>❯] \S`)

// join returns rows as one line.
func join(rows []string) string { return strings.Join(strings.Fields(strings.Join(rows, " ")), " ") }
