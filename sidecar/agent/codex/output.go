package codex

import (
	"encoding/json"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// message is one line of `codex exec --json`.
type message struct {
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

// recognizes reports whether only codex writes such an event.
func recognizes(event []byte) bool {
	var e struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(event, &e) != nil {
		return false
	}
	kind, _, _ := strings.Cut(e.Type, ".")
	return kind != e.Type && (kind == "thread" || kind == "turn" || kind == "item")
}

func newReader(o *spec.Output) func([]byte) {
	return func(event []byte) { readEvent(o, event) }
}

// readEvent reads one event. The final event is turn.completed or turn.failed; if
// neither comes, an earlier error is the reason.
func readEvent(o *spec.Output, doc []byte) {
	var m message
	if json.Unmarshal(doc, &m) != nil {
		return
	}
	switch m.Type {
	case "item.completed":
		if m.Item.Type == "agent_message" {
			o.Paragraph()
			o.Say(m.Item.Text)
		}
	case "error":
		o.Ending.Reason = m.Message
	case "turn.failed":
		o.Fail(m.Error.Message)
	case "turn.completed":
		o.Ending.Usage.Input, o.Ending.Usage.Output = &m.Usage.Input, &m.Usage.Output
		o.Succeed()
	}
}
