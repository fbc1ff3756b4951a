package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe reports whether a terminal only draws r and does nothing else. Newline and tab are not
// safe; functions for several lines allow them.
func Safe(r rune) bool {
	switch {
	case r == utf8.RuneError, r == 0x2028, r == 0x2029:
		return false
	case r == 0x200c, r == 0x200d: // the joiners are part of ordinary text in many scripts
		return true
	case unicode.IsControl(r): // C0, DEL, C1
		return false
	case 0xe0000 <= r && r <= 0xe0fff: // tags, and variants that only hide text
		return false
	}
	// The format characters include the bidirectional controls; a few of them are visible.
	return !unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// Show returns one line of text in which unsafe characters are written out (\x1b, \u202e), so
// that they are seen and not obeyed. Bytes that are not UTF-8 become U+FFFD.
func Show(s string) string { return show(s, "\t") }

// ShowLines is Show for text of several lines.
func ShowLines(s string) string { return show(s, "\t\n") }

func show(s, allowed string) string {
	if plain(s, allowed) {
		return s
	}
	s = strings.ToValidUTF8(s, "\ufffd")
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\r' && strings.HasPrefix(s[i:], "\r\n") && strings.Contains(allowed, "\n"):
		case Safe(r) || r == utf8.RuneError || strings.ContainsRune(allowed, r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

func plain(s, allowed string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !Safe(r) && !strings.ContainsRune(allowed, r) })
}

// Strip returns text of several lines without its unsafe characters. Bytes that are not UTF-8
// become U+FFFD.
func Strip(s string) string {
	if plain(s, "\t\n") {
		return s
	}
	return strings.Map(func(r rune) rune {
		if Safe(r) || r == '\t' || r == '\n' || r == utf8.RuneError {
			return r
		}
		return -1
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// Line is Strip for text that must stay on one line: newlines and tabs become blanks. It
// returns at most limit bytes; 0 means no limit.
func Line(s string, limit int) string {
	if !plain(s, "") {
		s = strings.Map(func(r rune) rune {
			switch {
			case r == '\n' || r == '\t':
				return ' '
			case Safe(r) || r == utf8.RuneError:
				return r
			}
			return -1
		}, strings.ToValidUTF8(s, "\ufffd"))
	}
	if limit > 0 {
		s = Cut(s, limit)
	}
	return s
}

// Name returns a file's or an artifact's name with an underscore for each character
// that is not safe.
func Name(s string) string {
	if plain(s, "") {
		return s
	}
	return strings.Map(func(r rune) rune {
		if Safe(r) {
			return r
		}
		return '_'
	}, s)
}

// Visible reports whether s looks like what it is. It is stricter than Safe, for names that
// people compare and for values that are shown without quotes: with joiners, or blanks other
// than a space, two different values could look alike.
func Visible(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
}

// VisibleASCII reports whether s is ASCII without blanks and control characters: a
// token, which becomes a part of a header.
func VisibleASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}
