package cli

import (
	"os"

	"golang.org/x/term"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// printable makes foreign text safe for a terminal, on one line: what the terminal
// would obey or hide is shown.
func printable(s string) string { return text.Show(s) }

// printableLines is printable for text of several lines.
func printableLines(s string) string { return text.ShowLines(s) }

// isTerminal reports whether f is a terminal, with a person at it.
func isTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

// forReader returns text as the reader of f should get it: cleaned for a
// person, untouched for a program.
func forReader(f *os.File, s string) string {
	if isTerminal(f) {
		return printableLines(s)
	}
	return s
}
