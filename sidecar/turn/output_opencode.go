package turn

import "encoding/json"

// opencodeMessage is one line of `opencode run --format json`.
type opencodeMessage struct {
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
	Error struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
		} `json:"data"`
	} `json:"error"`
}

// opencodeEvent reads one. The final event is a step that finished because the
// model stopped; a step that ended in tool calls wants another one.
func opencodeEvent(d *decoder, doc []byte) {
	var m opencodeMessage
	if json.Unmarshal(doc, &m) != nil {
		return
	}
	switch m.Type {
	case "text":
		d.paragraph()
		d.say(m.Part.Text)
	case "error":
		reason := m.Error.Data.Message
		if reason == "" {
			reason = m.Error.Name
		}
		d.fail(reason)
	case "step_finish":
		opencodeStep(d, &m)
	}
}

func opencodeStep(d *decoder, m *opencodeMessage) {
	u := &d.said.usage
	u.tokens(m.Part.Tokens.Input, m.Part.Tokens.Output)
	u.cost = plus(u.cost, m.Part.Cost)
	switch m.Part.Reason {
	case "stop":
		d.succeed()
	case "tool-calls":
		d.said.final, d.said.ok = false, false
		d.said.reason = "the agent ended after a tool call, without an answer"
	default:
		d.fail("the model stopped: " + m.Part.Reason)
	}
}
