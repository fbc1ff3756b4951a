package gemini

import (
	"bytes"
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// message is one line of `gemini -p -o stream-json`, or the one document
// of `-o json`, which has no type.
type message struct {
	Type    string `json:"type"`
	Model   string `json:"model"`
	Role    string `json:"role"`
	Content string `json:"content"`
	Delta   bool   `json:"delta"`
	Status  string `json:"status"`

	Response *string `json:"response"`
	Error    *struct {
		Message string `json:"message"`
	} `json:"error"`
	Stats struct {
		Input  *int64          `json:"input_tokens"`
		Output *int64          `json:"output_tokens"`
		Models json.RawMessage `json:"models"`
	} `json:"stats"`
}

// heading is what tells an event of gemini's from those of others.
type heading struct {
	Type     string          `json:"type"`
	Status   string          `json:"status"`
	Response json.RawMessage `json:"response"`
	Error    json.RawMessage `json:"error"`
}

// recognizes reports whether only gemini writes such an event.
func recognizes(e *heading) bool {
	switch e.Type {
	case "init", "message":
		return true
	case "":
		return e.Response != nil || e.Error != nil
	}
	return e.Type == "result" && e.Status != ""
}

// readEvent reads one event. The final event is the result.
func readEvent(o *spec.Output, m *message) {
	switch m.Type {
	case "init":
		if m.Model != "auto" {
			o.Ending.Usage.Model = m.Model
		}
	case "message":
		if m.Role == "assistant" {
			if !m.Delta {
				o.Paragraph()
			}
			o.Say(m.Content)
		}
	case "tool_use", "tool_result":
		o.Paragraph()
	case "error":
		// An error on the way: only the result says whether it mattered.
	case "result":
		usage(o, m)
		end(o, m, m.Status == "success")
	case "":
		if m.Response != nil {
			o.Say(*m.Response)
		}
		if m.Response != nil || m.Error != nil {
			usage(o, m)
			end(o, m, m.Error == nil)
		}
	}
}

func end(o *spec.Output, m *message, ok bool) {
	switch {
	case ok:
		o.Succeed()
	case m.Error != nil:
		o.Fail(m.Error.Message)
	default:
		o.Fail("the agent ended with status " + m.Status)
	}
}

// usage reads the stats: totals in a stream, otherwise a sum over the models. The last
// model is the one that answered; a router comes before it.
func usage(o *spec.Output, m *message) {
	u := &o.Ending.Usage
	names, models := readModels(m.Stats.Models)
	if len(names) > 0 && u.Model == "" {
		u.Model = names[len(names)-1]
	}
	if m.Stats.Input != nil || m.Stats.Output != nil {
		u.Input, u.Output = m.Stats.Input, m.Stats.Output
		return
	}
	for _, used := range models {
		u.AddTokens(used.Tokens.Input, used.Tokens.Output)
	}
}

type modelStats struct {
	Tokens struct {
		Input  int64 `json:"input"`
		Output int64 `json:"candidates"`
	} `json:"tokens"`
}

// readModels reads an object of models in its order.
func readModels(raw json.RawMessage) (names []string, models []modelStats) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, nil
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			break
		}
		var m modelStats
		if dec.Decode(&m) != nil {
			break
		}
		if s, ok := name.(string); ok {
			names, models = append(names, s), append(models, m)
		}
	}
	return names, models
}
