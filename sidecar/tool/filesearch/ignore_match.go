package filesearch

import (
	"strings"
	"unicode/utf8"
)

// matchSegments reports whether a pattern, whose segment "**" stands for any number of names, matches a path.
// Its time is the product of both lengths at most.
func matchSegments(pattern []string, path string) bool {
	rest := path
	more := true // rest is to be matched: "" is the end only if there is no more
	p := 0
	star, starRest := -1, ""
	for more {
		if p < len(pattern) && pattern[p] == "**" {
			star, starRest = p, rest
			p++
			continue
		}
		name, after, found := strings.Cut(rest, "/")
		if p < len(pattern) && matchSegment(pattern[p], name) {
			p++
			rest, more = after, found
			continue
		}
		if star < 0 {
			return false
		}
		_, starRest, more = strings.Cut(starRest, "/")
		p, rest = star+1, starRest
	}
	for p < len(pattern) && pattern[p] == "**" {
		p++
	}
	return p == len(pattern)
}

// matchSegment reports whether a pattern of one segment matches a name: "*" is any text, "?" any character, "[…]" one of a
// class, and a backslash takes the meaning from what follows. The pattern is valid (validSegment).
func matchSegment(pattern, name string) bool {
	p, n := 0, 0
	star, starName := -1, 0
	for n < len(name) {
		if p < len(pattern) && pattern[p] == '*' {
			star, starName = p, n
			p++
			continue
		}
		if p < len(pattern) {
			if pw, nw, ok := matchOne(pattern[p:], name[n:]); ok {
				p, n = p+pw, n+nw
				continue
			}
		}
		if star < 0 {
			return false
		}
		_, w := utf8.DecodeRuneInString(name[starName:])
		starName += w
		p, n = star+1, starName
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// matchOne matches the first element of a pattern, which is no "*", with the first character of a name. It returns the widths
// of both.
func matchOne(pattern, name string) (pw, nw int, ok bool) {
	r, nw := utf8.DecodeRuneInString(name)
	switch pattern[0] {
	case '?':
		return 1, nw, true
	case '[':
		class, end := parseClass(pattern)
		return end, nw, class.has(r)
	case '\\':
		pattern, pw = pattern[1:], 1
	}
	want, w := utf8.DecodeRuneInString(pattern)
	return pw + w, nw, want == r && pattern[:w] == name[:nw]
}

// validSegment reports whether a pattern of one segment can match anything: each class is closed, and no backslash is last.
func validSegment(pattern string) bool {
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			if i++; i == len(pattern) {
				return false
			}
		case '[':
			_, end := parseClass(pattern[i:])
			if end == 0 {
				return false
			}
			i += end - 1
		}
	}
	return true
}

// runeClass is what stands in brackets.
type runeClass struct {
	not    bool
	ranges [][2]rune
	named  []string // as in [:alpha:]
}

func (c runeClass) has(r rune) bool {
	for _, one := range c.ranges {
		if one[0] <= r && r <= one[1] {
			return !c.not
		}
	}
	for _, name := range c.named {
		if inNamed(name, r) {
			return !c.not
		}
	}
	return c.not
}

// parseClass reads the class at the beginning of a pattern and returns where it ends, 0 if it is not closed or
// names a class that there is not.
func parseClass(pattern string) (c runeClass, end int) {
	i := 1
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		c.not = true
		i++
	}
	for first := true; i < len(pattern); first = false {
		if pattern[i] == ']' && !first {
			return c, i + 1
		}
		if rest, ok := strings.CutPrefix(pattern[i:], "[:"); ok {
			if name, _, ok := strings.Cut(rest, ":]"); ok {
				if !strings.Contains(classNames, " "+name+" ") {
					return c, 0
				}
				c.named = append(c.named, name)
				i += len("[:") + len(name) + len(":]")
				continue
			}
		}
		lo, w := classRune(pattern[i:])
		hi := lo
		i += w
		if rest, ok := strings.CutPrefix(pattern[i:], "-"); ok && rest != "" && rest[0] != ']' {
			hi, w = classRune(rest)
			i += 1 + w
		}
		c.ranges = append(c.ranges, [2]rune{lo, hi})
	}
	return c, 0
}

// classRune reads one character of a class, which a backslash may stand before.
func classRune(s string) (r rune, width int) {
	if s[0] == '\\' && len(s) > 1 {
		r, width = utf8.DecodeRuneInString(s[1:])
		return r, width + 1
	}
	return utf8.DecodeRuneInString(s)
}

const classNames = " alnum alpha blank cntrl digit graph lower print punct space upper xdigit "

// inNamed reports whether a character is in a named class; they have ASCII only, as in git.
func inNamed(name string, r rune) bool {
	switch name {
	case "alnum":
		return inNamed("alpha", r) || inNamed("digit", r)
	case "alpha":
		return inNamed("lower", r) || inNamed("upper", r)
	case "blank":
		return r == ' ' || r == '\t'
	case "cntrl":
		return r < ' ' || r == 0x7f
	case "digit":
		return '0' <= r && r <= '9'
	case "graph":
		return '!' <= r && r <= '~'
	case "lower":
		return 'a' <= r && r <= 'z'
	case "print":
		return ' ' <= r && r <= '~'
	case "punct":
		return inNamed("graph", r) && !inNamed("alnum", r)
	case "space":
		return r == ' ' || '\t' <= r && r <= '\r'
	case "upper":
		return 'A' <= r && r <= 'Z'
	}
	return inNamed("digit", r) || 'a' <= r && r <= 'f' || 'A' <= r && r <= 'F' // xdigit
}
