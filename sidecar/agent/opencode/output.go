package opencode

import (
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// message is one line of `opencode run --format json`.
type message struct {
	Type string `json:"type"`
	Part struct {
		Text   string `json:"text"`
		Reason string `json:"reason"`
		Tokens struct {
			Input  int64 `json:"input"`
			Output int64 `json:"output"`
		} `json:"tokens"`
		Cost float64 `json:"cost"`
	} `json:"part"`
	Error failure `json:"error"`
}

// failure is an error as opencode tells it, in its output and among its events.
type failure struct {
	Name string `json:"name"`
	Data struct {
		Message string `json:"message"`
	} `json:"data"`
}

// reason returns what went wrong, "" if that is not told.
func (f *failure) reason() string { return spec.FirstOf(f.Data.Message, f.Name) }

// heading is what tells an event of opencode's from those of others.
type heading struct {
	Type  string          `json:"type"`
	Error json.RawMessage `json:"error"`
}

// recognizes reports whether only opencode writes such an event.
func recognizes(e *heading) bool {
	return e.Type == "step_start" || e.Type == "step_finish" || e.Type == "error" && e.Error != nil
}

// readEvent reads one event. The final event is a step that finished because the model
// stopped; a step that ended in tool calls is followed by another.
func readEvent(o *spec.Output, m *message) {
	switch m.Type {
	case "text":
		o.Paragraph()
		o.Say(m.Part.Text)
	case "error":
		o.Fail(m.Error.reason())
	case "step_finish":
		finishStep(o, m)
	}
}

func finishStep(o *spec.Output, m *message) {
	u := &o.Ending.Usage
	u.AddTokens(m.Part.Tokens.Input, m.Part.Tokens.Output)
	u.AddCost(m.Part.Cost)
	switch m.Part.Reason {
	case "stop":
		o.Succeed()
	case "tool-calls":
		o.Ending.Final, o.Ending.OK = false, false
		o.Ending.Reason = endedAfterTool
	default:
		o.Fail("the model stopped: " + m.Part.Reason)
	}
}

// endedAfterTool is why a turn counts as failed whose last step only called a tool.
const endedAfterTool = "the agent ended after a tool call, without an answer"
