package jsontree

import (
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Fault is one fault of a document.
type Fault struct {
	// File is the name of the document, "" if it has none.
	File string
	// Line and Column count from 1, columns in characters. Locate sets them; both are 0
	// for a fault without a place in a file.
	Line, Column int
	// Offset is the number of bytes before the fault.
	Offset  int
	Pointer string // RFC 6901, "" for the whole document
	Subject string // the name of what has the fault, "" if it has none
	Message string
	Hint    string // the fix, "" if none is known
}

// pointerMax bounds how much of a pointer a line shows.
const pointerMax = 200

// String returns one line: file:line:column: pointer: message; hint: the fix.
func (f Fault) String() string {
	var b strings.Builder
	if f.File != "" {
		b.WriteString(f.File + ":")
	}
	if f.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", f.Line, f.Column)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	if f.Pointer != "" {
		b.WriteString(text.Shorten(f.Pointer, pointerMax) + ": ")
	}
	b.WriteString(f.Message)
	if f.Hint != "" {
		b.WriteString("; hint: " + f.Hint)
	}
	return b.String()
}

// Faults holds every fault of a document, in the order of the file.
type Faults []Fault

// Error returns one line for each fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].String()
	}
	return strings.Join(lines, "\n")
}
