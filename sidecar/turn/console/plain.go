package console

import (
	"strings"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// unsafeRune reports whether a character must not reach a terminal or a log.
// Newline and tab are text.
func unsafeRune(c rune) bool {
	return !text.Safe(c) && c != '\n' && c != '\t' && c != utf8.RuneError
}

// PlainText is text without escape sequences and unsafe characters.
func PlainText(s string) string {
	var b strings.Builder
	a := ANSI{Print: func(c rune) {
		if !unsafeRune(c) {
			b.WriteRune(c)
		}
	}, Control: func(c byte) {
		if c == '\n' || c == '\t' {
			b.WriteByte(c)
		}
	}}
	a.Write([]byte(s))
	return b.String()
}
