package manifest

import "github.com/a2a-sidecar/sidecar/internal/text"

// quoteMax bounds what a message repeats of a file or of arguments.
const quoteMax = 80

// quote puts text of a file or of arguments in quotes, cut short: messages reach
// logs and terminals.
func quote(s string) string { return text.Quote(s, quoteMax) }

// isWord reports whether c may stand in a name: a letter, a digit or an underscore.
func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
