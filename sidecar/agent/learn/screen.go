package learn

import (
	"strings"
	"unicode"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/term"
)

const (
	rowsMax  = 60  // of the last rows are looked at, as a profile does
	cellsMax = 400 // bytes of a row
)

// screen is what is looked at of a snapshot: its last rows, down to the last that is not
// blank.
type screen struct {
	rows      []string
	cursor    int // the cursor's row among them; it may be beyond the last
	shown     bool
	title     string
	alternate bool
	paste     bool
	cols      int
}

func see(s term.Snapshot) screen {
	end := len(s.Lines)
	for end > 0 && blank(s.Lines[end-1].Text) {
		end--
	}
	first := max(0, end-rowsMax)
	v := screen{cursor: s.CursorRow - first, shown: s.CursorShown, title: s.Title, alternate: s.Alternate, paste: s.Modes.BracketedPaste, cols: s.Cols}
	for _, l := range s.Lines[first:end] {
		v.rows = append(v.rows, text.Cut(strings.TrimRight(l.Text, " "), cellsMax))
	}
	return v
}

// at returns a row, "" beyond both ends.
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

// isBlank reports whether a rune is a blank, also one that does not break.
func isBlank(r rune) bool { return r == ' ' || r == '\u00a0' || r == '\t' }

func blank(row string) bool { return strings.TrimFunc(row, isBlank) == "" }

// isFrame reports whether a rune is a part of a drawn line.
func isFrame(r rune) bool { return 0x2500 <= r && r <= 0x259f }

// frame reports whether a row is the side of a box: it begins and ends with lines, and
// holds many of them.
func frame(row string) bool {
	row = strings.TrimFunc(row, isBlank)
	n, all := 0, 0
	for _, r := range row {
		all++
		if isFrame(r) {
			n++
		}
	}
	return n >= 8 && n*2 > all
}

// side reports whether a row has nothing but drawn lines.
func side(row string) bool {
	return !blank(row) && !strings.ContainsFunc(row, func(r rune) bool { return !isBlank(r) && !isFrame(r) })
}

// isText reports whether a rune is a letter or a digit.
func isText(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// hasText reports whether there is a letter or a digit.
func hasText(s string) bool { return strings.ContainsFunc(s, isText) }

// glyph returns the sign that a row begins with, if a blank or nothing follows it; 0 if
// it begins with text, with a line, or with a mark of Markdown.
func glyph(row string) rune {
	all := []rune(strings.TrimLeftFunc(row, isBlank))
	if len(all) == 0 || len(all) > 1 && !isBlank(all[1]) || all[0] < 0x80 && !strings.ContainsRune("·", all[0]) || isText(all[0]) || isFrame(all[0]) && !strings.ContainsRune("■□▢▣●◦", all[0]) {
		return 0
	}
	return all[0]
}

// firstLine returns the first line of a text that is not blank, without blanks around it.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimFunc(line, func(r rune) bool { return isBlank(r) || r == '\n' || r == '\r' }); line != "" {
			return line
		}
	}
	return ""
}
