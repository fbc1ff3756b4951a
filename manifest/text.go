package manifest

import "github.com/a2a-sidecar/sidecar/internal/text"

// quoteMax bounds how much of a file or of arguments a message repeats.
const quoteMax = 80

// quote returns text of a file or of arguments in quotes, cut short, because messages
// reach logs and terminals.
func quote(s string) string { return text.Quote(s, quoteMax) }

// isWord reports whether c may be in a name: a letter, a digit or an underscore.
func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
