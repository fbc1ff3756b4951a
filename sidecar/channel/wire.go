package channel

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// wirePart is a part as A2A 1.0 writes it.
type wirePart struct {
	Text      *string         `json:"text,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	Raw       *string         `json:"raw,omitempty"`
	URL       *string         `json:"url,omitempty"`
	MediaType string          `json:"mediaType,omitempty"`
	Filename  string          `json:"filename,omitempty"`
	Metadata  a2a.Metadata    `json:"metadata,omitempty"`
}

// encodeParts returns parts as they are sent. The result is never nil, so that the
// JSON is never null.
func encodeParts(parts []a2a.Part) []wirePart {
	out := make([]wirePart, len(parts))
	for i, p := range parts {
		w := wirePart{MediaType: p.MediaType, Filename: p.Filename, Metadata: p.Metadata}
		switch p.Kind {
		case a2a.PartText:
			w.Text = &p.Text
		case a2a.PartData:
			w.Data = p.Data
		case a2a.PartRaw:
			s := base64.StdEncoding.EncodeToString(p.Raw)
			w.Raw = &s
		case a2a.PartURL:
			w.URL = &p.URL
		}
		out[i] = w
	}
	return out
}

// decodeParts reads parts. field is their place in params, for the error.
func decodeParts(field string, in []wirePart) ([]a2a.Part, error) {
	var out []a2a.Part
	for i := range in {
		p, err := in[i].part(field + "[" + strconv.Itoa(i) + "]")
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func (w *wirePart) part(field string) (a2a.Part, error) {
	p := a2a.Part{MediaType: w.MediaType, Filename: w.Filename, Metadata: w.Metadata}
	set := 0
	if w.Text != nil {
		p.Kind, p.Text = a2a.PartText, *w.Text
		set++
	}
	if w.Data != nil {
		p.Kind, p.Data = a2a.PartData, w.Data
		set++
	}
	if w.URL != nil {
		p.Kind, p.URL = a2a.PartURL, *w.URL
		set++
	}
	if w.Raw != nil {
		raw, err := base64.StdEncoding.DecodeString(*w.Raw)
		if err != nil {
			return p, invalid(field+".raw", "not base64: %s", err)
		}
		p.Kind, p.Raw = a2a.PartRaw, raw
		set++
	}
	if set != 1 {
		return p, invalid(field, "needs exactly one of text, data, raw, url; it has %d", set)
	}
	return p, nil
}

// states are the states that an agent may end a turn with.
var states = []a2a.TaskState{
	a2a.StateCompleted, a2a.StateFailed, a2a.StateCanceled, a2a.StateRejected, a2a.StateInputRequired, a2a.StateAuthRequired,
}

// parseState reads a state that ends a turn. "input-required" and
// "TASK_STATE_INPUT_REQUIRED" are the same; "" means none.
func parseState(field, s string) (a2a.TaskState, error) {
	if s == "" {
		return "", nil
	}
	name := strings.ToUpper(strings.ReplaceAll(s, "-", "_"))
	if !strings.HasPrefix(name, "TASK_STATE_") {
		name = "TASK_STATE_" + name
	}
	for _, state := range states {
		if string(state) == name {
			return state, nil
		}
	}
	return "", invalid(field, "%q is not one of completed, failed, canceled, rejected, input-required, auth-required", s)
}

// parseTimeout reads a number of seconds, or a duration such as "90s". If raw is
// absent, the timeout is 0.
func parseTimeout(field string, raw json.RawMessage) (time.Duration, error) {
	if raw == nil || string(raw) == "null" {
		return 0, nil
	}
	var d time.Duration
	var seconds float64
	var text string
	switch {
	case json.Unmarshal(raw, &seconds) == nil:
		d = time.Duration(min(seconds, math.MaxInt64/float64(time.Second)/2) * float64(time.Second))
	case json.Unmarshal(raw, &text) == nil:
		d, _ = time.ParseDuration(text)
	}
	if d <= 0 {
		return 0, invalid(field, `must be a positive number of seconds, or a duration such as "90s"`)
	}
	return d, nil
}
