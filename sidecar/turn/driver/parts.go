package driver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
)

// Render returns the text that an agent gets, the parts joined by newlines: text as
// it is, data as one line of JSON, a raw part as the path of the file that file
// makes for it, a url as itself.
func Render(parts []a2a.Part, file func(p a2a.Part, i int) (path string, err error)) (string, error) {
	lines := make([]string, len(parts))
	for i, p := range parts {
		line, err := p.Text, error(nil)
		switch p.Kind {
		case a2a.PartURL:
			line = p.URL
		case a2a.PartData:
			line, err = oneLine(p.Data)
		case a2a.PartRaw:
			line, err = file(p, i)
		}
		if err != nil {
			return "", fmt.Errorf("part %d: %w", i+1, err)
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n"), nil
}

// oneLine returns JSON without newlines.
func oneLine(data json.RawMessage) (string, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		return "", err
	}
	return b.String(), nil
}

var errNotText = errors.New("the part is neither text nor data")

// PartsText returns an agent's answer in parts as text. If one of the parts is
// neither text nor data, it returns all of them as 1.0 JSON.
func PartsText(parts []a2a.Part) string {
	text, err := Render(parts, func(a2a.Part, int) (string, error) { return "", errNotText })
	if err != nil {
		return string(codec.EncodeMessage(nil, &a2a.Message{Role: a2a.RoleAgent, Parts: parts}))
	}
	return text
}
