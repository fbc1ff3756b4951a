package client

import (
	"fmt"
	"strings"
)

// nameMax is the longest name of a tool in bytes, with its server's slug: MCP clients refuse
// longer ones.
const nameMax = 128

// segment makes one segment of a canonical name, [a-z][a-z0-9_]*, of a tool's native name. It
// is the only place that does; equal native names give equal segments, and different ones may
// as well: whoever lists tools has to see to that.
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
//	nothing is left                 | no segment: an error
//
// Nothing is cut: a name that is too long is an error, for what is cut could be another
// tool's.
func segment(native string) (string, error) {
	if len(native) > nameMax {
		return "", fmt.Errorf("its name has %d bytes; at most %d are possible", len(native), nameMax)
	}
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
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			put(string(r))
		case r >= 'A' && r <= 'Z':
			gap = gap || i > 0 && (word(runes[i-1]) || upper(runes[i-1]) && i+1 < len(runes) && lower(runes[i+1]))
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
	if s == "" {
		return "", fmt.Errorf("its name %q has no letter and no digit", native)
	}
	if s[0] >= '0' && s[0] <= '9' {
		s = "t_" + s
	}
	return s, nil
}

func lower(r rune) bool { return r >= 'a' && r <= 'z' }
func upper(r rune) bool { return r >= 'A' && r <= 'Z' }
func word(r rune) bool  { return lower(r) || r >= '0' && r <= '9' }
