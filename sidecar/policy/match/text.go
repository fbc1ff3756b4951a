package match

import "strings"

// Text is a pattern for an argument or a word: * stands for any run of characters, \*
// for a star itself.
type Text struct {
	source string
	parts  []string // what stands between the stars; one part has no star
}

// ParseText reads a pattern.
func ParseText(s string) (Text, error) {
	if err := bounded(s); err != nil {
		return Text{}, err
	}
	return parseText(s), nil
}

func parseText(s string) Text {
	t := Text{source: s}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '*' || s[i+1] == '\\'):
			i++
			b.WriteByte(s[i])
		case s[i] == '*':
			t.parts = append(t.parts, b.String())
			b.Reset()
		default:
			b.WriteByte(s[i])
		}
	}
	t.parts = append(t.parts, b.String())
	return t
}

// String returns the pattern as it was written.
func (t Text) String() string { return t.source }

// Matches reports whether the pattern matches the whole of s.
func (t Text) Matches(s string) bool {
	if len(t.parts) == 1 {
		return s == t.parts[0]
	}
	first, last := t.parts[0], t.parts[len(t.parts)-1]
	if len(s) < len(first)+len(last) || !strings.HasPrefix(s, first) || !strings.HasSuffix(s, last) {
		return false
	}
	s = s[len(first) : len(s)-len(last)]
	for _, p := range t.parts[1 : len(t.parts)-1] {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return true
}

// MayBegin reports whether the pattern matches some text that begins with prefix.
func (t Text) MayBegin(prefix string) bool {
	first := t.parts[0]
	if len(t.parts) == 1 {
		return strings.HasPrefix(first, prefix)
	}
	return strings.HasPrefix(first, prefix) || strings.HasPrefix(prefix, first)
}

// MayEqual reports whether some text matches both patterns. It may say yes where none
// does.
func (t Text) MayEqual(u Text) bool {
	switch {
	case len(t.parts) == 1:
		return u.Matches(t.parts[0])
	case len(u.parts) == 1:
		return t.Matches(u.parts[0])
	}
	a, b := t.parts[0], u.parts[0]
	x, y := t.parts[len(t.parts)-1], u.parts[len(u.parts)-1]
	return (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) && (strings.HasSuffix(x, y) || strings.HasSuffix(y, x))
}

// everything reports whether the pattern matches every text.
func (t Text) everything() bool { return len(t.parts) > 1 && strings.Join(t.parts, "") == "" }

// literal returns the text that the pattern stands for, if it has no star.
func (t Text) literal() (string, bool) { return t.parts[0], len(t.parts) == 1 }

// Rank returns how specific the pattern is.
func (t Text) Rank() Rank {
	return Rank{Exact: len(t.parts) == 1, Length: len(t.parts[0]), Tail: strings.Join(t.parts[1:], "") != ""}
}
