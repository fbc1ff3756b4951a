package claude

import (
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// message is one line of `claude -p --output-format stream-json`, or the one document
// of `json`.
type message struct {
	Type    string  `json:"type"`
	Subtype string  `json:"subtype"`
	Parent  *string `json:"parent_tool_use_id"`
	Model   string  `json:"model"` // of system
	Event   struct {
		Type  string `json:"type"`
		Delta struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"delta"`
	} `json:"event"`
	Message struct {
		ID      string          `json:"id"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`

	IsError bool     `json:"is_error"`
	Result  string   `json:"result"`
	Cost    *float64 `json:"total_cost_usd"`
	Usage   *struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
	} `json:"usage"`
	ModelUsage map[string]struct {
		Output int64 `json:"outputTokens"`
	} `json:"modelUsage"`
}

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
	var m message
	if json.Unmarshal(doc, &m) != nil {
		return
	}
	switch m.Type {
	case "system":
		if m.Model != "" {
			r.o.Ending.Usage.Model = m.Model
		}
	case "stream_event":
		if m.Parent == nil {
			r.delta(&m)
		}
	case "assistant":
		if m.Parent == nil {
			r.text(&m)
		}
	case "result":
		r.result(&m)
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
	var blocks []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if r.deltas || json.Unmarshal(m.Message.Content, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		if b.Type == "text" {
			r.o.Paragraph()
			r.o.Say(b.Text)
		}
	}
}

// result reads the final event.
func (r *reader) result(m *message) {
	u := &r.o.Ending.Usage
	u.Cost = m.Cost
	if m.Usage != nil {
		u.Input, u.Output = &m.Usage.Input, &m.Usage.Output
	}
	if u.Model == "" {
		most := int64(-1)
		for name, used := range m.ModelUsage {
			if used.Output > most || used.Output == most && name < u.Model {
				u.Model, most = name, used.Output
			}
		}
	}
	if m.IsError {
		reason := m.Result
		if reason == "" {
			reason = m.Subtype
		}
		r.o.Fail(reason)
		return
	}
	if !r.o.Spoken() {
		r.o.Say(m.Result)
	}
	r.o.Succeed()
}
