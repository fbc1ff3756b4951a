package text

import (
	"bytes"
	"unicode/utf8"
)

// Sniffed is how many bytes of a stream decide whether it is text.
const Sniffed = 8 << 10

// IsText reports whether all of content is text: UTF-8 without NUL.
func IsText(content []byte) bool {
	return bytes.IndexByte(content, 0) < 0 && utf8.Valid(content)
}

// BeginsText reports whether head may be the beginning of a text: its last
// character may be unfinished.
func BeginsText(head []byte) bool { return IsText(head[:len(head)-Unfinished(head)]) }
