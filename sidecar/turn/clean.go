package turn

import (
	"strings"
	"unicode"
)

// unsafeRune reports whether a character must not reach a terminal or a log: a
// control character, or one that turns the direction of text around. Newline
// and tab are text.
func unsafeRune(c rune) bool {
	switch {
	case c == '\n' || c == '\t':
		return false
	case unicode.IsControl(c): // C0, DEL, C1
		return true
	case c == 0x061c, c == 0x200e, c == 0x200f, 0x202a <= c && c <= 0x202e, 0x2066 <= c && c <= 0x2069:
		return true
	}
	return false
}

// plainText is text without escape sequences and unsafe characters.
func plainText(s string) string {
	var b strings.Builder
	a := ansi{print: func(c rune) {
		if !unsafeRune(c) {
			b.WriteRune(c)
		}
	}, control: func(c byte) {
		if c == '\n' || c == '\t' {
			b.WriteByte(c)
		}
	}}
	a.write([]byte(s))
	return b.String()
}
