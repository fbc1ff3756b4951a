package codec

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// The functions of this file scan a JSON text that is known to be valid. They do not
// recurse, so that depth costs nothing.

// camelCase turns context_id into contextId; a key without an underscore stays.
func camelCase(key string) string {
	if !strings.Contains(key, "_") {
		return key
	}
	words := strings.Split(key, "_")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// unquote returns the text of a valid JSON string.
func unquote(raw []byte) string {
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil { // cannot happen: the text was checked
		return strings.ToValidUTF8(string(inner), "\ufffd")
	}
	return s
}

func skipSpace(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\n' || b[0] == '\r' || b[0] == '\t') {
		b = b[1:]
	}
	return b
}

// nextValue skips a comma and the white space around it.
func nextValue(b []byte) []byte {
	b = skipSpace(b)
	if b[0] == ',' {
		b = skipSpace(b[1:])
	}
	return b
}

// valueEnd returns the length of the value that b starts with.
func valueEnd(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i += stringEnd(b[i:]) - 1
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth == 0 {
				i += scalarEnd(b[i:]) - 1
			} else {
				continue
			}
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(b)
}

// stringEnd returns the length of the string that b starts with.
func stringEnd(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// scalarEnd returns the length of the number or word that b starts with.
func scalarEnd(b []byte) int {
	if i := bytes.IndexAny(b, ",]} \n\r\t"); i >= 0 {
		return i
	}
	return len(b)
}
