package learn

import (
	"slices"
	"strings"
	"unicode"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/term"
)

const (
	// rowsMax is how many of the last rows are looked at: a profile looks at as many.
	rowsMax = 60
	// cellsMax is how much of a row is looked at, in bytes: a row of 130 wide characters.
	cellsMax = 400
	// boxLinesMin is how many characters of lines the side of a box has at least, and boxShare
	// says that more than one in so many of its characters are lines: a title may interrupt
	// the side of a box, but a row of a table has more text than lines.
	boxLinesMin = 8
	boxShare    = 2
)

// screen is the part of a snapshot that is looked at: its last rows, down to the last row that
// is not blank.
type screen struct {
	rows      []string
	cursor    int // the cursor's row among them; it may be after the last one
	title     string
	alternate bool
	paste     bool
	cols      int
}

// see returns the part of a snapshot that is looked at.
func see(s term.Snapshot) screen {
	end := len(s.Lines)
	for end > 0 && blank(s.Lines[end-1].Text) {
		end--
	}
	first := max(0, end-rowsMax)
	v := screen{cursor: s.CursorRow - first, title: s.Title, alternate: s.Alternate, paste: s.Modes.BracketedPaste, cols: s.Cols}
	v.rows = make([]string, 0, end-first)
	for _, l := range s.Lines[first:end] {
		v.rows = append(v.rows, text.Cut(strings.TrimRight(l.Text, " "), cellsMax))
	}
	return v
}

// same reports whether two screens look the same.
func (v *screen) same(other *screen) bool {
	return v.cursor == other.cursor && v.title == other.title && v.alternate == other.alternate &&
		v.paste == other.paste && v.cols == other.cols && slices.Equal(v.rows, other.rows)
}

// at returns a row, and "" outside the screen.
func (v *screen) at(i int) string {
	if i < 0 || i >= len(v.rows) {
		return ""
	}
	return v.rows[i]
}

// set returns the rows as a set.
func (v *screen) set() map[string]bool {
	all := make(map[string]bool, len(v.rows))
	for _, row := range v.rows {
		all[row] = true
	}
	return all
}

// isBlank reports whether a rune is a blank, a tab or a no-break space.
func isBlank(r rune) bool { return r == ' ' || r == '\u00a0' || r == '\t' }

// blank reports whether a row has nothing but blanks.
func blank(row string) bool { return strings.TrimFunc(row, isBlank) == "" }

// isLine reports whether a rune is a part of a drawn line or a block.
func isLine(r rune) bool { return 0x2500 <= r && r <= 0x259f }

// boxSide reports whether a row is the upper or lower side of a box.
func boxSide(row string) bool {
	lines, all := 0, 0
	for _, r := range strings.TrimFunc(row, isBlank) {
		all++
		if isLine(r) {
			lines++
		}
	}
	return lines >= boxLinesMin && lines*boxShare > all
}

// linesOnly reports whether a row has drawn lines and nothing else but blanks.
func linesOnly(row string) bool {
	return !blank(row) && !strings.ContainsFunc(row, func(r rune) bool { return !isBlank(r) && !isLine(r) })
}

// isText reports whether a rune is a letter or a digit.
func isText(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// hasText reports whether a text has a letter or a digit.
func hasText(s string) bool { return strings.ContainsFunc(s, isText) }

// firstLine returns the first line of a text that is not blank, without blanks around it.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimFunc(line, func(r rune) bool { return isBlank(r) || r == '\n' || r == '\r' }); line != "" {
			return line
		}
	}
	return ""
}
