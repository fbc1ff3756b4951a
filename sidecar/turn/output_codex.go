package turn

import "encoding/json"

// codexMessage is one line of `codex exec --json`.
type codexMessage struct {
	Type string `json:"type"`
	Item struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"item"`
	Message string `json:"message"` // of error
	Error   struct {
		Message string `json:"message"`
	} `json:"error"` // of turn.failed
	Usage struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
	} `json:"usage"`
}

// codexEvent reads one. The final event is turn.completed or turn.failed; an
// error on the way is the reason when neither comes.
func codexEvent(d *decoder, doc []byte) {
	var m codexMessage
	if json.Unmarshal(doc, &m) != nil {
		return
	}
	switch m.Type {
	case "item.completed":
		if m.Item.Type == "agent_message" {
			d.paragraph()
			d.say(m.Item.Text)
		}
	case "error":
		d.said.reason = m.Message
	case "turn.failed":
		d.fail(m.Error.Message)
	case "turn.completed":
		d.said.usage.in, d.said.usage.out = &m.Usage.Input, &m.Usage.Output
		d.succeed()
	}
}
