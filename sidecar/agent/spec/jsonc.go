package spec

import "bytes"

// PlainJSON returns settings as JSON. Agents read JSON with comments and with commas before
// a closing bracket: both are taken out. What is no such JSON stays no JSON.
func PlainJSON(data []byte) []byte {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	plain := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		n := 1
		switch rest := data[i:]; {
		case rest[0] == '"':
			n = quoted(rest)
		case bytes.HasPrefix(rest, []byte("//")):
			i += upTo(rest, "\n", 0)
			continue
		case bytes.HasPrefix(rest, []byte("/*")):
			i += upTo(rest[2:], "*/", 2) + 2
			continue
		case rest[0] == '}' || rest[0] == ']':
			plain = bytes.TrimRight(plain, " \t\r\n")
			plain = bytes.TrimSuffix(plain, []byte(","))
		}
		plain = append(plain, data[i:i+n]...)
		i += n
	}
	return plain
}

// quoted returns the length of the string that data begins with.
func quoted(data []byte) int {
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

// upTo returns how many bytes there are before a mark, and after more bytes of it; all of
// them if it is not there.
func upTo(data []byte, mark string, more int) int {
	if i := bytes.Index(data, []byte(mark)); i >= 0 {
		return i + more
	}
	return len(data)
}
