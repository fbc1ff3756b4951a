package manifest

import (
	"fmt"
	"strings"
)

// Segment makes one segment of a canonical name, [a-z][a-z0-9_]*, of a name that another program
// uses: of an MCP server, or of its tool. It is the only place that does; equal native names give
// equal segments, and different ones may as well: whoever lists them has to see to that.
//
//	native                          | segment
//	--------------------------------|-----------------------------------------------------
//	a lower-case letter, a digit    | as it is
//	an upper-case letter            | lower case; an underscore before it, if a lower-case
//	                                | letter or a digit stands there (printEnv, print_env),
//	                                | or if it begins a word after an acronym (HTTPGet,
//	                                | http_get)
//	a character that is not ASCII   | left out, after u and its number: é becomes ue9
//	                                | with an underscore on either side
//	all others (. / - : blank _ …)  | one underscore for a row of them, none at the ends
//	begins with a digit             | t_ before it (2fa, t_2fa)
//	nothing is left                 | "": there is no segment
//
// Nothing is cut: what is cut could be another one's.
func Segment(native string) string {
	var b strings.Builder
	gap := false // an underscore is due before the next character
	put := func(s string) {
		if gap && b.Len() > 0 {
			b.WriteByte('_')
		}
		gap = false
		b.WriteString(s)
	}
	runes := []rune(native)
	for i, r := range runes {
		switch {
		case lower(r), digit(r):
			put(string(r))
		case upper(r):
			gap = gap || i > 0 && (lower(runes[i-1]) || digit(runes[i-1]) || upper(runes[i-1]) && i+1 < len(runes) && lower(runes[i+1]))
			put(string(r | 0x20))
		case r >= 0x80:
			gap = true
			put(fmt.Sprintf("u%x", r))
			gap = true
		default:
			gap = true
		}
	}
	s := b.String()
	if s != "" && digit(rune(s[0])) {
		s = "t_" + s
	}
	return s
}

func lower(r rune) bool { return r >= 'a' && r <= 'z' }
func upper(r rune) bool { return r >= 'A' && r <= 'Z' }
func digit(r rune) bool { return r >= '0' && r <= '9' }
