package channel

import (
	"encoding/json"
	"strconv"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// extras are what most messages may carry besides their content (A2A §4.6.2).
type extras struct {
	Metadata   a2a.Metadata `json:"metadata,omitempty"`
	Extensions []string     `json:"extensions,omitempty"`
}

// maxExtensions is how many extensions one message may name.
const maxExtensions = 64

func (e *extras) check() error {
	if len(e.Extensions) > maxExtensions {
		return invalid("extensions", "has %d, more than %d", len(e.Extensions), maxExtensions)
	}
	for i, uri := range e.Extensions {
		if !a2a.ValidExtensionURI(uri) {
			return invalid("extensions["+strconv.Itoa(i)+"]", "%.100q is no URI", uri)
		}
	}
	return nil
}

// newAskResult makes the result of task/ask. It leaves out parts that say no more
// than the text, or that would make the frame too long.
func newAskResult(a Answer) askResult {
	r := askResult{Answer: a.Text, OptionID: a.OptionID, extras: extras{a.Metadata, a.Extensions}}
	if says, size := content(a.Parts); says && size <= MaxFrame/2 {
		r.Parts = encodeParts(a.Parts)
	}
	return r
}

// MarshalJSON writes an answer as the result of task/ask.
func (a Answer) MarshalJSON() ([]byte, error) { return json.Marshal(newAskResult(a)) }

// content reports whether parts are more than plain text, and returns about how many
// bytes they take as they are sent.
func content(parts []a2a.Part) (more bool, size int) {
	for _, p := range parts {
		size += len(p.Text) + len(p.Data) + len(p.URL) + len(p.Raw)*4/3
		more = more || p.Kind != a2a.PartText || p.MediaType != "" || p.Filename != "" || len(p.Metadata) > 0
	}
	return more, size
}
