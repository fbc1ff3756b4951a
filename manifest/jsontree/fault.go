package jsontree

import (
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Fault is one thing wrong with a document.
type Fault struct {
	// File is what the document is called, "" for one without a name.
	File string
	// Line and Column count from 1, columns in characters. They come from Locate;
	// both are 0 for a fault without a place in a file.
	Line, Column int
	// Offset counts the bytes before the fault.
	Offset  int
	Pointer string // RFC 6901, "" for the whole document
	Subject string // the name of what has the fault, "" when it has none
	Message string
	Hint    string // the fix, "" when none is known
}

// pointerMax bounds what a line shows of a pointer.
const pointerMax = 200

// String is one line: file:line:column: pointer: message; hint: the fix.
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

// Faults is every fault of a document, in the order of the file.
type Faults []Fault

// Error has one line for each fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].String()
	}
	return strings.Join(lines, "\n")
}
