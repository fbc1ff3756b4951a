package text

import (
	"bytes"
	"encoding/json"
)

// JSON returns v as JSON on one line, without the escapes that only web pages need. Bytes
// of strings that are not UTF-8 become U+FFFD.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
