package codex

import (
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

// heading is what tells an event of codex's from those of others.
type heading struct {
	Type string `json:"type"`
}

// recognizes reports whether only codex writes such an event.
func recognizes(e *heading) bool {
	kind, _, _ := strings.Cut(e.Type, ".")
	return kind != e.Type && (kind == "thread" || kind == "turn" || kind == "item")
}

// readEvent reads one event. The final event is turn.completed or turn.failed; if
// neither comes, an earlier error is the reason.
func readEvent(o *spec.Output, m *message) {
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
