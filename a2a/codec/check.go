package codec

import (
	"errors"
	"strings"
)

// What check finds wrong with a text.
var (
	errSyntax = errors.New("not JSON")
	errDepth  = errors.New("nested too deeply")
)

// check returns nil if b is one JSON value (RFC 8259), with white space around it, whose
// objects and arrays are nested no deeper than limit; else errSyntax or errDepth. Strings
// may hold bytes that are not UTF-8. If the value is an object, member is called with each
// of its members, the key in its quotes; nil: it is not called.
func check(b []byte, limit int, member func(key, value []byte)) error {
	c := checker{b: b, limit: limit, member: member}
	if err := c.value(0); err != nil {
		return err
	}
	if c.space(); c.at < len(b) {
		return errSyntax
	}
	return nil
}

// checker is a text while it is checked. All before at is right.
type checker struct {
	b      []byte
	at     int
	limit  int
	member func(key, value []byte)
}

// space skips white space and returns the byte after it, 0 at the end.
func (c *checker) space() byte {
	for ; c.at < len(c.b); c.at++ {
		switch c.b[c.at] {
		case ' ', '\t', '\r', '\n':
		default:
			return c.b[c.at]
		}
	}
	return 0
}

// value reads a value inside of that many objects and arrays.
func (c *checker) value(depth int) error {
	switch bracket := c.space(); bracket {
	case '{', '[':
		return c.elements(bracket, depth+1)
	}
	size := scalarSize(c.b[c.at:])
	if c.at += size; size == 0 {
		return errSyntax
	}
	return nil
}

// elements reads an object or an array from its opening bracket on.
func (c *checker) elements(opening byte, depth int) error {
	closing := opening + 2 // in ASCII
	if depth > c.limit {
		return errDepth
	}
	c.at++
	if c.space() == closing {
		c.at++
		return nil
	}
	for {
		var key []byte
		if opening == '{' {
			if key = c.key(); key == nil {
				return errSyntax
			}
		}
		c.space()
		from := c.at
		if err := c.value(depth); err != nil {
			return err
		}
		if key != nil && depth == 1 && c.member != nil {
			c.member(key, c.b[from:c.at])
		}
		next := c.space()
		switch c.at++; next {
		case closing:
			return nil
		case ',':
		default:
			return errSyntax
		}
	}
}

// key reads a member's key and the colon behind it. It returns the key in its quotes, nil
// if there is none.
func (c *checker) key() []byte {
	if c.space() != '"' {
		return nil
	}
	key := c.b[c.at:][:stringSize(c.b[c.at:])]
	c.at += len(key)
	if len(key) == 0 || c.space() != ':' {
		return nil
	}
	c.at++
	return key
}

// valueSize returns the length of the value that b starts with, which is known to be right.
func valueSize(b []byte) int {
	c := checker{b: b, limit: maxResultDepth}
	_ = c.value(0)
	return c.at
}

// scalarSize returns the length of the string, number or word that b starts with, 0 if it
// starts with none.
func scalarSize(b []byte) int {
	switch {
	case len(b) == 0:
		return 0
	case b[0] == '"':
		return stringSize(b)
	case b[0] == '-' || b[0] >= '0' && b[0] <= '9':
		return numberSize(b)
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if len(b) >= len(word) && string(b[:len(word)]) == word {
			return len(word)
		}
	}
	return 0
}

// stringSize returns the length of the string that b starts with, its quotes included, 0 if
// it has no end, a bad escape or a control character.
func stringSize(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return 0
		case c == '\\':
			size := escapeSize(b[i+1:])
			if size == 0 {
				return 0
			}
			i += size
		}
	}
	return 0
}

// escapeSize returns the length of the escape that b starts with, after its backslash, 0 if
// it is none.
func escapeSize(b []byte) int {
	switch {
	case len(b) > 0 && strings.IndexByte(`"\/bfnrt`, b[0]) >= 0:
		return 1
	case len(b) >= 5 && b[0] == 'u' && isHex(b[1]) && isHex(b[2]) && isHex(b[3]) && isHex(b[4]):
		return 5
	}
	return 0
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// numberSize returns the length of the number that b starts with, 0 if it starts with none.
func numberSize(b []byte) int {
	i := 0
	if b[0] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits(b, &i) {
		return 0
	}
	if i < len(b) && b[i] == '.' {
		if i++; !digits(b, &i) {
			return 0
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits(b, &i) {
			return 0
		}
	}
	return i
}

// digits skips the digits at i and reports whether there are any.
func digits(b []byte, i *int) bool {
	from := *i
	for *i < len(b) && b[*i] >= '0' && b[*i] <= '9' {
		*i++
	}
	return *i > from
}
