package codec

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// The functions of this file append JSON to a buffer. Whatever they are given, they write
// valid JSON in valid UTF-8 on one line: a frame of an event stream must not contain a line
// break, and U+2028 and U+2029 end a line for some readers.

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string. Bytes that are not UTF-8 become
// U+FFFD.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	b = appendEscaped(b, s)
	return append(b, '"')
}

// appendEscaped appends s as in a JSON string, without the quotes.
func appendEscaped(b []byte, s string) []byte {
	start := 0
	for i := plainPrefix(s); i < len(s); i += plainPrefix(s[i:]) {
		c := s[i]
		if c < utf8.RuneSelf {
			b = append(b, s[start:i]...)
			b = appendEscape(b, c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = append(b, s[start:i]...)
			b = append(b, "\ufffd"...)
		case r == '\u2028' || r == '\u2029':
			b = append(b, s[start:i]...)
			b = append(b, `\u202`...)
			b = append(b, hexDigits[r&0xf])
		default:
			i += size
			continue
		}
		i += size
		start = i
	}
	return append(b, s[start:]...)
}

// plainPrefix returns the length of the prefix of s that needs no escapes in a JSON string:
// ASCII without control characters, quotes and backslashes. It checks eight bytes at a
// time: a bit that is set in hits marks a byte that is none of those. Only the lowest such
// bit is certain.
func plainPrefix(s string) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
	)
	i := 0
	for ; i+8 <= len(s); i += 8 {
		x := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		quote, backslash := x^('"'*ones), x^('\\'*ones)
		hits := (x | (x - ' '*ones) | (quote - ones) | (backslash - ones)) & highs
		if hits != 0 {
			return i + bits.TrailingZeros64(hits)/8
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] < utf8.RuneSelf && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// appendEscape appends the escape of an ASCII character that needs one.
func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}

// maxValueDepth is the nesting limit of a value that is only passed on. With what is
// written around it, it stays below the 10,000 levels at which Go, and so our own store,
// stops reading.
const maxValueDepth = 9_900

// fitJSON reports whether raw is JSON that can be read as part of a larger text.
func fitJSON(raw []byte) bool { return check(raw, maxValueDepth, nil) == nil }

// appendRaw appends raw, which should be JSON, without white space between its tokens. If
// raw is not JSON or is nested too deeply, it becomes a string, so that nothing is lost.
// Empty raw becomes null.
func appendRaw(b []byte, raw json.RawMessage) []byte {
	switch {
	case len(raw) == 0:
		return append(b, "null"...)
	case !fitJSON(raw):
		return appendString(b, string(raw))
	}
	return appendLine(b, raw)
}

// appendLine appends JSON that check has found right, without white space between its
// tokens.
func appendLine(b, raw []byte) []byte {
	inString := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case !inString && (c == ' ' || c == '\n' || c == '\r' || c == '\t'):
		case c == '\\': // only in strings: the next byte is part of the escape
			b = append(b, c, raw[i+1])
			i++
		case c >= utf8.RuneSelf: // only in strings
			end := i + 1
			for end < len(raw) && raw[end] >= utf8.RuneSelf {
				end++
			}
			b = appendEscaped(b, string(raw[i:end]))
			i = end - 1
		default:
			inString = inString != (c == '"')
			b = append(b, c)
		}
	}
	return b
}

// appendList appends a list of values, [] when it is empty.
func appendList[T any](b []byte, values []T, add func(b []byte, v *T) []byte) []byte {
	b = append(b, '[')
	for i := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = add(b, &values[i])
	}
	return append(b, ']')
}

func appendStrings(b []byte, values []string) []byte {
	return appendList(b, values, func(b []byte, s *string) []byte { return appendString(b, *s) })
}

// appendBase64 appends data as a string of standard base64.
func appendBase64(b, data []byte) []byte {
	b = append(b, '"')
	b = base64.StdEncoding.AppendEncode(b, data)
	return append(b, '"')
}

// appendMetadata appends an object with its keys in order.
func appendMetadata(b []byte, m a2a.Metadata) []byte {
	o := openObject(b)
	for _, k := range slices.Sorted(maps.Keys(m)) {
		o.name(k)
		o.b = appendRaw(o.b, m[k])
	}
	return o.close()
}

// appendTime appends t as RFC 3339 in UTC with milliseconds (§5.6.1).
func appendTime(b []byte, t time.Time) []byte {
	b = append(b, '"')
	b = t.UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z")
	return append(b, '"')
}

// object appends the members of one JSON object. The opt… methods leave out empty members.
type object struct {
	b     []byte
	wrote bool
}

// openObject starts an object at the end of b; close ends it.
func openObject(b []byte) object { return object{b: append(b, '{')} }

func (o *object) close() []byte { return append(o.b, '}') }

// key appends the name of a member. Names are constants that need no escapes.
func (o *object) key(name string) {
	if o.wrote {
		o.b = append(o.b, ',')
	}
	o.wrote = true
	o.b = append(o.b, '"')
	o.b = append(o.b, name...)
	o.b = append(o.b, '"', ':')
}

// name is like key, for a name that is not a constant.
func (o *object) name(name string) {
	if o.wrote {
		o.b = append(o.b, ',')
	}
	o.wrote = true
	o.b = append(appendString(o.b, name), ':')
}

func (o *object) str(name, value string) {
	o.key(name)
	o.b = appendString(o.b, value)
}

// optStr appends a string unless it is empty.
func (o *object) optStr(name, value string) {
	if value != "" {
		o.str(name, value)
	}
}

func (o *object) integer(name string, value int) {
	o.key(name)
	o.b = strconv.AppendInt(o.b, int64(value), 10)
}

// optInteger appends an integer unless it is nil.
func (o *object) optInteger(name string, value *int) {
	if value != nil {
		o.integer(name, *value)
	}
}

func (o *object) boolean(name string, value bool) {
	o.key(name)
	o.b = strconv.AppendBool(o.b, value)
}

// optTrue appends true, and nothing for false.
func (o *object) optTrue(name string, value bool) {
	if value {
		o.boolean(name, true)
	}
}

func (o *object) strs(name string, list []string) {
	o.key(name)
	o.b = appendStrings(o.b, list)
}

// optStrs appends a list of strings unless it is empty.
func (o *object) optStrs(name string, list []string) {
	if len(list) > 0 {
		o.strs(name, list)
	}
}

// optMetadata appends metadata unless it is empty.
func (o *object) optMetadata(m a2a.Metadata) {
	if len(m) > 0 {
		o.key("metadata")
		o.b = appendMetadata(o.b, m)
	}
}

// optRaw appends JSON unless it is empty.
func (o *object) optRaw(name string, value json.RawMessage) {
	if len(value) > 0 {
		o.key(name)
		o.b = appendRaw(o.b, value)
	}
}

// nest appends an object with the members that fill appends.
func (o *object) nest(name string, fill func(inner *object)) {
	o.key(name)
	inner := openObject(o.b)
	fill(&inner)
	o.b = inner.close()
}

// value appends a value.
func value[T any](o *object, name string, v T, add func(b []byte, v T) []byte) {
	o.key(name)
	o.b = add(o.b, v)
}

// list appends a list of values, [] when it is empty.
func list[T any](o *object, name string, values []T, add func(b []byte, v *T) []byte) {
	o.key(name)
	o.b = appendList(o.b, values, add)
}
