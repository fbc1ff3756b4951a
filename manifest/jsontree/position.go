package jsontree

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Locate sorts faults in the order of the file and sets their file name, lines and
// columns. It leaves nothing unprintable in their pointers.
func Locate(file, src string, faults Faults) Faults {
	slices.SortStableFunc(faults, func(a, b Fault) int { return cmp.Compare(a.Offset, b.Offset) })
	at := cursor{src: src, line: 1}
	for i := range faults {
		f := &faults[i]
		f.File, f.Pointer = file, text.Show(f.Pointer)
		f.Line, f.Column = at.move(f.Offset)
	}
	return faults
}

// Position returns the line and the column of an offset. Both count from 1, columns in
// characters; a byte order mark does not count, as in editors.
func Position(src string, offset int) (line, column int) {
	at := cursor{src: src, line: 1}
	return at.move(offset)
}

// cursor counts lines and columns only forwards, so that ten thousand faults in one
// long line cost one pass.
type cursor struct {
	src    string
	offset int
	line   int
	column int // the number of characters before offset on this line
}

func (c *cursor) move(offset int) (line, column int) {
	if c.offset == 0 && offset > 0 && strings.HasPrefix(c.src, byteOrderMark) {
		c.offset = len(byteOrderMark) // editors do not count it
	}
	offset = max(c.offset, min(offset, len(c.src)))
	passed := c.src[c.offset:offset]
	if n := strings.Count(passed, "\n"); n > 0 {
		c.line += n
		c.column = 0
		passed = passed[strings.LastIndexByte(passed, '\n')+1:]
	}
	c.column += utf8.RuneCountInString(passed)
	c.offset = offset
	return c.line, c.column + 1
}
