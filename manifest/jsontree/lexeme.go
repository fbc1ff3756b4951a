package jsontree

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// text reads a string; the scanner is at its opening quote.
func (s *scanner) text() string {
	start := s.pos
	for i := start + 1; i < len(s.src); i++ {
		switch c := s.src[i]; {
		case c == '"':
			s.pos = i + 1
			return s.src[start+1 : i]
		case c == '\\':
			return s.escaped(start, i)
		case c < 0x20:
			s.control(i)
		}
	}
	s.fail(start, "the string that begins here has no end", "close it with a double quote")
	return ""
}

func (s *scanner) control(i int) {
	if s.src[i] == '\n' || s.src[i] == '\r' {
		s.fail(i, "a line break inside a string", `write \n, or close the string`)
	}
	s.fail(i, "a control character inside a string", `write it as \u00`+strconv.FormatInt(int64(s.src[i])|0x100, 16)[1:])
}

// escaped reads the rest of a string whose first backslash is at i.
func (s *scanner) escaped(start, i int) string {
	var b strings.Builder
	b.WriteString(s.src[start+1 : i])
	for i < len(s.src) {
		switch c := s.src[i]; {
		case c == '"':
			s.pos = i + 1
			return b.String()
		case c == '\\':
			i = s.escape(&b, i)
		case c < 0x20:
			s.control(i)
		default:
			b.WriteByte(c)
			i++
		}
	}
	s.fail(start, "the string that begins here has no end", "close it with a double quote")
	return ""
}

// escape decodes the escape sequence at i and returns where it ends.
func (s *scanner) escape(b *strings.Builder, i int) int {
	if i+1 >= len(s.src) {
		return len(s.src)
	}
	switch c := s.src[i+1]; c {
	case '"', '\\', '/':
		b.WriteByte(c)
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	case 'n':
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 't':
		b.WriteByte('\t')
	case 'u':
		return s.unicode(b, i)
	default:
		r, _ := utf8.DecodeRuneInString(s.src[i+1:])
		s.fail(i, `\`+text.Show(string(r))+" is not an escape of JSON", `a backslash itself is written \\`)
	}
	return i + 2
}

// unicode decodes \uXXXX, or a surrogate pair of them. Half a pair is no character.
func (s *scanner) unicode(b *strings.Builder, i int) int {
	r := s.hex(i)
	if !utf16.IsSurrogate(r) {
		b.WriteRune(r)
		return i + 6
	}
	if strings.HasPrefix(s.src[i+6:], `\u`) {
		if r = utf16.DecodeRune(r, s.hex(i+6)); r != utf8.RuneError {
			b.WriteRune(r)
			return i + 12
		}
	}
	s.report(i, "half a surrogate pair is not a character", `write both halves, or the character itself`)
	b.WriteRune(utf8.RuneError)
	return i + 6
}

// hex reads the four digits of the \u at i.
func (s *scanner) hex(i int) rune {
	if i+6 <= len(s.src) {
		if v, err := strconv.ParseUint(s.src[i+2:i+6], 16, 16); err == nil {
			return rune(v)
		}
	}
	s.fail(i, `\u takes four hexadecimal digits`, "")
	return 0
}

// number reads a number and returns its literal.
func (s *scanner) number() string {
	start := s.pos
	if s.src[s.pos] == '-' {
		s.pos++
	}
	leading := s.pos
	if s.digits() == 0 {
		s.fail(start, "a minus without a number", "")
	}
	if s.src[leading] == '0' && s.pos > leading+1 {
		s.fail(start, "a number that begins with 0", "remove the zero, or make it a string")
	}
	if s.pos < len(s.src) && s.src[s.pos] == '.' {
		if s.pos++; s.digits() == 0 {
			s.fail(start, "a number that ends with a point", "add a digit")
		}
	}
	exponent := s.exponent(start)
	if wordAt(s.src, s.pos) {
		s.fail(start, "a number with letters in it", "make it a string")
	}
	literal := s.src[start:s.pos]
	if len(literal) > maxDigits || exponent > maxExponent {
		s.report(start, "a number out of range", "make it a string")
		return "0"
	}
	return literal
}

// exponent reads the optional exponent and returns its size, without sign.
func (s *scanner) exponent(start int) int {
	if s.pos >= len(s.src) || s.src[s.pos]|0x20 != 'e' {
		return 0
	}
	s.pos++
	if s.pos < len(s.src) && (s.src[s.pos] == '+' || s.src[s.pos] == '-') {
		s.pos++
	}
	from := s.pos
	if s.digits() == 0 {
		s.fail(start, "a number without its exponent", "add a digit")
	}
	n, err := strconv.Atoi(s.src[from:s.pos])
	if err != nil {
		return maxExponent + 1
	}
	return n
}

func (s *scanner) digits() int {
	from := s.pos
	for s.pos < len(s.src) && s.src[s.pos] >= '0' && s.src[s.pos] <= '9' {
		s.pos++
	}
	return s.pos - from
}

// literal reads true, false or null.
func (s *scanner) literal() (Kind, string) {
	rest := s.src[s.pos:]
	for _, l := range [...]struct {
		text string
		kind Kind
	}{{"true", Bool}, {"false", Bool}, {"null", Null}} {
		if strings.HasPrefix(rest, l.text) && !wordAt(rest, len(l.text)) {
			s.pos += len(l.text)
			return l.kind, l.text
		}
	}
	end := 0
	for wordAt(rest, end) {
		end++
	}
	if end == 0 {
		s.unexpected("a value")
	}
	word := rest[:min(end, 32)]
	hint := `strings stand in double quotes`
	switch strings.ToLower(word) {
	case "true", "false", "null":
		hint = "write " + strings.ToLower(word)
	case "none", "nil", "undefined":
		hint = "write null"
	case "nan", "infinity":
		hint = "JSON has no such number"
	}
	s.fail(s.pos, quoted(word)+" is not JSON", hint)
	return 0, ""
}

func wordAt(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	c := s[i]
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
