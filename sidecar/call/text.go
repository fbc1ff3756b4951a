package call

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// quote returns s as a JSON string.
func quote(s string) []byte {
	quoted, _ := text.JSON(s) // a string always encodes
	return quoted
}

// oneLine appends raw to b as one line of JSON in valid UTF-8 and returns what it
// appended: nil, and nothing is appended, if raw is not JSON.
func oneLine(b *bytes.Buffer, raw []byte) json.RawMessage {
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	b.Grow(len(raw) + len("}}"))
	start := b.Len()
	if json.Compact(b, raw) != nil || b.Len() == start {
		return nil
	}
	return b.Bytes()[start:]
}

// syntax returns why raw is not JSON, to follow words that say that it is not.
func syntax(raw []byte) string {
	var v json.RawMessage
	err := json.Unmarshal(raw, &v)
	if at := (*json.SyntaxError)(nil); errors.As(err, &at) {
		return fmt.Sprintf("%s at byte %d", at, at.Offset)
	}
	return fmt.Sprint(err)
}

// cutText returns valid UTF-8 of at most about n bytes; an ellipsis marks what is
// left out.
func cutText(s string, n int) string {
	return strings.ToValidUTF8(text.Shorten(s, n), "\uFFFD")
}
