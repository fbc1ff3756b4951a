package manifest

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// quoteMax bounds what a message repeats of a file or of arguments.
const quoteMax = 80

// quote puts text of a file or of arguments in quotes, cut short: messages reach
// logs and terminals.
func quote(s string) string { return text.Quote(s, quoteMax) }

// printable shows what a terminal would obey or hide.
func printable(s string) string { return text.Show(s) }

// enumerate joins words as people do: a, b or c.
func enumerate(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// isWord reports whether c may stand in a name: a letter, a digit or an underscore.
func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
