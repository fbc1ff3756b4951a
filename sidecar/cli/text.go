package cli

import (
	"fmt"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// printable makes foreign text safe for a terminal: control characters (but
// for tab), the marks that change the direction of writing, and bytes that are
// not UTF-8 are shown, not obeyed. It stays on its line.
func printable(s string) string { return clean(s, "\t") }

// printableLines is printable for text of several lines.
func printableLines(s string) string { return clean(s, "\t\n") }

func clean(s, allowed string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !safe(r, allowed) }) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError:
			b.WriteRune(utf8.RuneError)
		case r == '\r' && strings.HasPrefix(s[i:], "\r\n") && strings.Contains(allowed, "\n"):
		case safe(r, allowed):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// safe reports whether a terminal only draws r. Format characters (Cf) hold
// the bidirectional controls; the two joiners among them are part of ordinary
// text in many scripts.
func safe(r rune, allowed string) bool {
	switch {
	case strings.ContainsRune(allowed, r):
		return true
	case r == utf8.RuneError, r == 0x2028, r == 0x2029:
		return false
	case r == 0x200c, r == 0x200d:
		return true
	}
	return !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r)
}

// isTerminal reports whether a person reads or writes there.
func isTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

// forReader returns text as the reader of f should get it: cleaned for a
// person, untouched for a program.
func forReader(f *os.File, s string) string {
	if isTerminal(f) {
		return printableLines(s)
	}
	return s
}
