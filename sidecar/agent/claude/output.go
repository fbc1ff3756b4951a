package claude

import (
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// recognizes reports whether only claude writes such an event.
func recognizes(event []byte) bool {
	var e struct {
		Type    string `json:"type"`
		IsError *bool  `json:"is_error"`
	}
	if json.Unmarshal(event, &e) != nil {
		return false
	}
	switch e.Type {
	case "system", "assistant", "stream_event":
		return true
	}
	return e.Type == "result" && e.IsError != nil
}

// reader reads one output.
type reader struct {
	o      *spec.Output
	deltas bool // the words came one by one
}

func newReader(o *spec.Output) func([]byte) { return (&reader{o: o}).event }

// event reads one event. The final event is the result, and is_error says whether it
// failed: subtype says success even for a failed request.
func (r *reader) event(doc []byte) {
	m, err := decode(doc)
	if err != nil {
		return
	}
	switch m.Type {
	case "system":
		if m.Model != "" {
			r.o.Ending.Usage.Model = m.Model
		}
	case "stream_event":
		if m.Parent == nil {
			r.delta(m)
		}
	case "assistant":
		if m.Parent == nil {
			r.text(m)
		}
	case "result":
		r.result(m)
	}
}

// delta passes on words as the model says them.
func (r *reader) delta(m *message) {
	switch m.Event.Type {
	case "content_block_start":
		r.o.Paragraph()
	case "content_block_delta":
		if m.Event.Delta.Type == "text_delta" {
			r.deltas = true
			r.o.Say(m.Event.Delta.Text)
		}
	}
}

// text passes on a whole message, unless its words came one by one.
func (r *reader) text(m *message) {
	if r.deltas {
		return
	}
	for _, b := range m.blocks() {
		if b.Type == "text" {
			r.o.Paragraph()
			r.o.Say(b.Text)
		}
	}
}

// result reads the final event.
func (r *reader) result(m *message) {
	r.o.Ending.Usage = m.spent(r.o.Ending.Usage.Model)
	r.o.Ending.Usage.Cost = m.Cost
	if m.IsError {
		r.o.Fail(m.reason())
		return
	}
	if !r.o.Spoken() {
		r.o.Say(m.Result)
	}
	r.o.Succeed()
}
