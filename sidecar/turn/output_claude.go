package turn

import "encoding/json"

// claudeMessage is one line of `claude -p --output-format stream-json`, or the
// one document of `json`.
type claudeMessage struct {
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

// claudeEvent reads one. The final event is the result, and is_error tells:
// subtype says success for a failed request too.
func claudeEvent(d *decoder, doc []byte) {
	var m claudeMessage
	if json.Unmarshal(doc, &m) != nil {
		return
	}
	switch m.Type {
	case "system":
		if m.Model != "" {
			d.said.usage.model = m.Model
		}
	case "stream_event":
		if m.Parent == nil {
			claudeDelta(d, &m)
		}
	case "assistant":
		if m.Parent == nil {
			claudeText(d, &m)
		}
	case "result":
		claudeResult(d, &m)
	}
}

// claudeDelta passes on words as the model says them.
func claudeDelta(d *decoder, m *claudeMessage) {
	switch m.Event.Type {
	case "content_block_start":
		d.paragraph()
	case "content_block_delta":
		if m.Event.Delta.Type == "text_delta" {
			d.deltas = true
			d.say(m.Event.Delta.Text)
		}
	}
}

// claudeText passes on a whole message, unless its words came one by one.
func claudeText(d *decoder, m *claudeMessage) {
	var blocks []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if d.deltas || json.Unmarshal(m.Message.Content, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		if b.Type == "text" {
			d.paragraph()
			d.say(b.Text)
		}
	}
}

func claudeResult(d *decoder, m *claudeMessage) {
	u := &d.said.usage
	u.cost = m.Cost
	if m.Usage != nil {
		u.in, u.out = &m.Usage.Input, &m.Usage.Output
	}
	if u.model == "" {
		most := int64(-1)
		for name, used := range m.ModelUsage {
			if used.Output > most || used.Output == most && name < u.model {
				u.model, most = name, used.Output
			}
		}
	}
	if m.IsError {
		reason := m.Result
		if reason == "" {
			reason = m.Subtype
		}
		d.fail(reason)
		return
	}
	if !d.spoken {
		d.say(m.Result)
	}
	d.succeed()
}
