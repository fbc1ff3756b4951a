package option

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// frame is the inside of a box that is drawn on the screen: the first and the last row, the first
// column, and the column of the right side.
type frame struct{ top, bottom, left, right int }

// The characters of which boxes are drawn.
const (
	sides        = "│┃║"
	upperCorners = "┌╔╭┏"
	lowerCorners = "└╚╰┗"
	joints       = "├╠┝┣╟"
	rightEnds    = "┐╗╮┓┘╝╯┛┤╣┥┫╢"
)

// isDrawn reports whether a character is a line of a box, or a block.
func isDrawn(r rune) bool { return 0x2500 <= r && r <= 0x2590 }

// unframed returns a row with blanks in the place of drawn lines.
func unframed(row string) string {
	if strings.IndexFunc(row, isDrawn) < 0 {
		return row
	}
	return strings.Map(func(r rune) rune {
		if isDrawn(r) {
			return ' '
		}
		return r
	}, row)
}

// isBorder reports whether a row, without the blanks around it, is the upper or lower border of a
// box. A border may hold a title.
func isBorder(row string) bool {
	row = strings.TrimSpace(row)
	if row == "" {
		return false
	}
	begin, _ := first(row)
	end, _ := lastRune(row)
	return strings.ContainsRune(upperCorners+lowerCorners+joints, begin) && strings.ContainsRune(rightEnds, end)
}

// asciiBorder matches a border of + - =, such as +----+, with the sides of boxes around it.
var asciiBorder = expression(`^[ |]*\+[-=+]*[-=]{2}[-=+]*\+[ |]*$`)

// isASCIIBorder reports whether a row is the border of a box of ASCII characters.
func isASCIIBorder(row string) bool {
	return strings.Trim(row, " |+-=") == "" && asciiBorder().MatchString(row)
}

// drawASCIIFrames replaces boxes of + - | by boxes of lines: after that there is one kind of box.
// Each piece keeps its column. A row of | … | alone is no box.
func (v *screen) drawASCIIFrames() {
	open := -1
	for y := range v.lines {
		row := v.text(y)
		switch trimmed := strings.TrimSpace(row); {
		case isASCIIBorder(row):
			if open < 0 {
				open = y
			}
		case open >= 0 && strings.HasPrefix(trimmed, "|") && strings.HasSuffix(trimmed, "|"):
		default:
			v.drawASCIIFrame(open, y)
			open = -1
		}
	}
	v.drawASCIIFrame(open, len(v.lines))
}

// drawASCIIFrame draws the rows from open to the one before end, which begin with a border.
func (v *screen) drawASCIIFrame(open, end int) {
	for end > open && !isASCIIBorder(v.text(end-1)) {
		end--
	}
	if open < 0 || end-open < 3 {
		return
	}
	rows := make([][]rune, 0, end-open)
	for y := open; y < end; y++ {
		rows = append(rows, []rune(v.text(y)))
	}
	is := func(y, x int, of string) bool {
		return y >= 0 && y < len(rows) && x < len(rows[y]) && strings.ContainsRune(of, rows[y][x])
	}
	for i := range rows {
		drawn := make([]rune, len(rows[i]))
		border := isASCIIBorder(string(rows[i]))
		begun := false
		for x, r := range rows[i] {
			up, down := is(i-1, x, "|+"), is(i+1, x, "|+")
			switch {
			case r == '|' && (border || x == leading(rows[i]) || x == trailing(rows[i]) || up && down):
				r = '│'
			case !border:
			case r == '-', r == '=':
				r = '─'
			case r == '+':
				r, begun = corner(up, down, begun), true
			}
			drawn[x] = r
		}
		v.lines[open+i] = term.Line{Text: string(drawn), Wrapped: v.lines[open+i].Wrapped, Spans: v.lines[open+i].Spans}
	}
}

// corner returns the character for a + that has a line above or below it; begun reports whether
// another one is to its left.
func corner(up, down, begun bool) rune {
	switch {
	case up && down && !begun:
		return '├'
	case up && down:
		return '┤'
	case down && !begun:
		return '┌'
	case down:
		return '┐'
	case !begun:
		return '└'
	}
	return '┘'
}

func leading(row []rune) int {
	for x, r := range row {
		if r != ' ' {
			return x
		}
	}
	return -1
}

func trailing(row []rune) int {
	for x := len(row) - 1; x >= 0; x-- {
		if row[x] != ' ' {
			return x
		}
	}
	return -1
}

// frameAround returns the outermost box around the cursor.
func (v *screen) frameAround() (frame, bool) {
	left, right, column := -1, -1, 0
	for _, r := range v.text(v.row) {
		if strings.ContainsRune(sides+"|", r) {
			switch {
			case column < v.column && left < 0:
				left = column
			case column > v.column:
				right = column
			}
		}
		column += term.Width(r)
	}
	if left < 0 || right < 0 {
		return frame{}, false
	}
	top := v.border(v.row, -1, left, right, upperCorners)
	bottom := v.border(v.row, 1, left, right, lowerCorners)
	return frame{top: top + 1, bottom: bottom - 1, left: left + 1, right: right}, top >= 0 && bottom > v.row
}

// border returns the row of a box's border above (step -1) or below (step 1) a row. It is -1 if
// the sides do not go that far.
func (v *screen) border(y, step, left, right int, corners string) int {
	for y += step; y >= 0 && y < len(v.lines); y += step {
		side, _ := first(cut(v.text(y), left, left+1))
		other, _ := first(cut(v.text(y), right, right+1))
		switch {
		case side != 0 && strings.ContainsRune(corners, side):
			return y
		case side == 0 || !strings.ContainsRune(sides+"|"+joints, side) || !isDrawn(other) && other != '|':
			return -1
		}
	}
	return -1
}

// lowestFrame returns the box whose lower border is the lowest on the screen, and the innermost if
// there are several around each other. It has no more than rows of hints below it.
func (v *screen) lowestFrame() (f frame, ok bool) {
	for y := v.last; y > 1 && y > v.last-footMax; y-- {
		row, column := v.text(y), 0
		for i, r := range row {
			if strings.ContainsRune(lowerCorners, r) {
				if f, ok := v.frameOver(y, column, row[i:]); ok {
					return f, true
				}
			}
			column += term.Width(r)
		}
		if !v.isFooter(y) {
			return frame{}, false
		}
	}
	return frame{}, false
}

// frameOver returns the box whose lower left corner is at a place. border is the row from there.
func (v *screen) frameOver(y, left int, border string) (frame, bool) {
	end := strings.IndexAny(border, "┘╝╯┛")
	if end < 0 {
		return frame{}, false
	}
	right := left + columns(border[:end])
	top := v.border(y, -1, left, right, upperCorners)
	return frame{top: top + 1, bottom: y - 1, left: left + 1, right: right}, top >= 0 && top < y-1
}

// within returns the inside of a box as a screen of its own.
func (v *screen) within(f frame) *screen {
	inner := &screen{shown: v.shown, alternate: v.alternate, row: v.row - f.top, column: v.column - f.left}
	for y := f.top; y <= f.bottom; y++ {
		line := term.Line{Text: strings.TrimRight(cut(v.text(y), f.left, f.right), " ")}
		for _, s := range v.lines[y].Spans {
			if from, to := max(s.From, f.left)-f.left, min(s.To, f.right)-f.left; from < to {
				line.Spans = append(line.Spans, term.Span{From: from, To: to, Style: s.Style})
			}
		}
		inner.lines = append(inner.lines, line)
	}
	inner.settle()
	return inner
}
