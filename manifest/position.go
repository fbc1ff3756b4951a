package manifest

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// byteOrderMark is U+FEFF in UTF-8.
const byteOrderMark = "\ufeff"

// fault is a Fault that still counts in bytes.
type fault struct {
	off     int
	pointer string
	tool    string
	message string
	hint    string
}

// locate turns faults into what people read: in the order of the file, with
// lines and columns, and with nothing unprintable in them.
func locate(file, src string, faults []fault) Faults {
	sort.SliceStable(faults, func(i, j int) bool { return faults[i].off < faults[j].off })
	at := cursor{src: src, line: 1}
	out := make(Faults, 0, len(faults))
	for _, f := range faults {
		line, column := at.move(f.off)
		out = append(out, Fault{
			File: file, Line: line, Column: column,
			Pointer: printable(f.pointer), Tool: f.tool, Message: f.message, Hint: f.hint,
		})
	}
	return out
}

// cursor counts lines and columns forwards only, so that ten thousand faults in
// one long line cost one pass.
type cursor struct {
	src    string
	off    int
	line   int
	column int // characters before off on this line
}

func (c *cursor) move(off int) (line, column int) {
	if c.off == 0 && off > 0 && strings.HasPrefix(c.src, byteOrderMark) {
		c.off = len(byteOrderMark) // editors do not count it
	}
	off = max(c.off, min(off, len(c.src)))
	passed := c.src[c.off:off]
	if n := strings.Count(passed, "\n"); n > 0 {
		c.line += n
		c.column = 0
		passed = passed[strings.LastIndexByte(passed, '\n')+1:]
	}
	c.column += utf8.RuneCountInString(passed)
	c.off = off
	return c.line, c.column + 1
}
