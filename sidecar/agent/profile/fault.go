package profile

import (
	"bytes"
	"fmt"
	"sort"
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

// faultsMax is how many faults of one file are told; the rest may well follow
// from them.
const faultsMax = 100

// locate gives faults their places, in the order of the file.
func locate(file string, src []byte, found []fault) Faults {
	sort.SliceStable(found, func(i, j int) bool { return found[i].off < found[j].off })
	all := make(Faults, 0, min(len(found), faultsMax))
	line, column, at := 1, 1, 0
	for _, f := range found[:min(len(found), faultsMax)] {
		passed := src[at:max(at, min(f.off, len(src)))]
		at += len(passed)
		if i := bytes.LastIndexByte(passed, '\n'); i >= 0 {
			line += bytes.Count(passed, []byte("\n"))
			column, passed = 1, passed[i+1:]
		}
		column += utf8.RuneCount(passed)
		all = append(all, Fault{File: file, Line: line, Column: column, Pointer: f.pointer, Message: f.message, Hint: f.hint})
	}
	return all
}
