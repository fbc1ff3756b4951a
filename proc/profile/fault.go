package profile

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Fault is one thing wrong with a profile. Line and Column count from 1,
// columns in characters.
type Fault struct {
	File    string
	Line    int
	Column  int
	Pointer string // RFC 6901, "" for the whole document
	Message string
	Hint    string // the fix
}

// String is one line: file:line:column: pointer: message; hint: the fix.
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.File + ":")
	if f.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", f.Line, f.Column)
	}
	b.WriteByte(' ')
	if f.Pointer != "" {
		b.WriteString(f.Pointer + ": ")
	}
	b.WriteString(f.Message)
	if f.Hint != "" {
		b.WriteString("; hint: " + f.Hint)
	}
	return b.String()
}

// Faults is every fault of a profile, in the order of the file.
type Faults []Fault

// Error has one line for each fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].String()
	}
	return strings.Join(lines, "\n")
}

// position counts lines and characters before an offset.
func position(src []byte, off int) (line, column int) {
	before := src[:max(0, min(off, len(src)))]
	line = 1
	for i, c := range before {
		if c == '\n' {
			line++
			column = i + 1
		}
	}
	return line, utf8.RuneCount(before[column:]) + 1
}
