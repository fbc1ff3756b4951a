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

// quote is s as a JSON string, with bytes that are not UTF-8 as U+FFFD and
// without the escapes that are only for HTML.
func quote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes, and a Buffer takes everything
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// compactJSON is raw as one line of JSON in valid UTF-8, nil when it is not
// JSON.
func compactJSON(raw []byte) json.RawMessage {
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	var b bytes.Buffer
	b.Grow(len(raw))
	if json.Compact(&b, raw) != nil || b.Len() == 0 {
		return nil
	}
	return b.Bytes()
}

// syntax says why raw is not JSON, after words that say that it is not.
func syntax(raw []byte) string {
	var v json.RawMessage
	err := json.Unmarshal(raw, &v)
	if at := (*json.SyntaxError)(nil); errors.As(err, &at) {
		return fmt.Sprintf("%s at byte %d", at, at.Offset)
	}
	return fmt.Sprint(err)
}

// cutText is valid UTF-8 of at most about n bytes; what is left out is shown
// by an ellipsis.
func cutText(s string, n int) string {
	return strings.ToValidUTF8(text.Shorten(s, n), "\uFFFD")
}
