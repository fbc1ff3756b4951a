package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// joiner joins rows to text.
type joiner struct {
	width int
	wrap  string

	blanks int  // how many blank rows came since the last row
	fresh  bool // a block of text begins
	any    bool // there was a row already

	cells   int  // the width of the last row
	last    int  // the width of its last word
	wide    bool // it ends with a wide character
	wrapped bool // the terminal wrapped it
	hang    int  // how far the further rows of the last line are indented
	para    int  // where in the text the last paragraph of a block begins; -1 if it is the first
	mark    int  // where in the text a mark of Markdown may stand, in the last paragraph; -1 if there is none
}

func (j *joiner) blank() { j.blanks, j.wrapped = j.blanks+1, false }

// block begins a block of text.
func (j *joiner) block() { j.fresh, j.wrapped = true, false }

// add adds a row to the text.
func (j *joiner) add(text []byte, row string, wrapped bool) []byte {
	if row == "" {
		return text
	}
	between, on := j.between(row)
	switch {
	case !j.any || j.fresh:
		j.mark, j.para = -1, -1
	case j.blanks > 0:
		j.mark, j.para = -1, len(text)
	}
	text = append(text, between...)
	said := row
	switch {
	case !on:
		j.hang = hang(row)
	case !j.wrapped:
		said = strings.TrimLeft(row, " ")
	}
	if i := markdown(said); i >= 0 && j.mark < 0 {
		j.mark = len(text) + i
	}
	text = append(text, said...)
	word := row[strings.LastIndexByte(row, ' ')+1:]
	end, _ := utf8.DecodeLastRuneInString(row)
	j.cells, j.last, j.wide, j.wrapped = cells(row), cells(word), wide(string(end)), wrapped
	j.any, j.fresh, j.blanks = true, false, 0
	return text
}

// between returns what stands between the last row and this one, and reports whether
// the row continues the last one's line.
func (j *joiner) between(row string) (s string, on bool) {
	switch {
	case !j.any:
		return "", false
	case j.fresh:
		return "\n\n", false
	case j.blanks > 0:
		return strings.Repeat("\n", j.blanks+1), false
	case j.wrapped:
		return "", true
	case j.wrap == "" || j.width <= 0:
		return "\n", false
	}
	indent := len(row) - len(strings.TrimLeft(row, " "))
	word := row[indent:]
	if i := strings.IndexByte(word, ' '); i >= 0 {
		word = word[:i]
	}
	// They may be one word that was cut.
	long := j.last+cells(word) > j.width || j.wrap == profile.WrapWide && wide(word) && j.wide
	switch {
	case j.wrap == profile.WrapInk && indent == 1 && j.cells == j.width && !isItem(row):
		return " ", true // the blank for which the last row had no room
	case isItem(row) || indent != 0 && indent != j.hang:
		return "\n", false
	case j.cells >= j.width && long, j.cells == j.width-1 && long && wide(word):
		return "", true
	case j.cells+1+cells(word) > j.width, j.wrap == profile.WrapInk && j.cells+1+cells(word) == j.width:
		return " ", true
	}
	return "\n", false
}

// hang returns how far an agent indents the further rows of a line.
func hang(row string) int {
	indent := len(row) - len(strings.TrimLeft(row, " "))
	return indent + item(row[indent:])
}

// item returns the length of the mark of a list with its blank; 0 if there is no mark.
func item(s string) int {
	for _, m := range []string{"- ", "* ", "• "} {
		if strings.HasPrefix(s, m) {
			return 2
		}
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if digits > 0 && digits < 4 && (strings.HasPrefix(s[digits:], ". ") || strings.HasPrefix(s[digits:], ") ")) {
		return digits + 2
	}
	return 0
}

func isItem(row string) bool { return item(strings.TrimLeft(row, " ")) > 0 }

// markdown returns where in a row a mark stands that may vanish once the agent has
// seen the rest of the paragraph; -1 if there is none.
func markdown(row string) int {
	for i, r := range row {
		switch r {
		case '*', '`', '~', '[', '|', '<', '\\':
			return i
		case '_':
			before, _ := utf8.DecodeLastRuneInString(row[:i])
			if i == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) {
				return i
			}
		case '#', '>':
			if strings.TrimLeft(row[:i], " #>") == "" {
				return i
			}
		}
	}
	return -1
}

// cells returns how many columns a text takes.
func cells(s string) int {
	n := 0
	for _, r := range s {
		n += term.Width(r)
	}
	return n
}

// wide reports whether the text begins with a character of two columns.
func wide(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return term.Width(r) == 2
}
