package turn

import (
	"bytes"
	"encoding/json"
)

// geminiMessage is one line of `gemini -p -o stream-json`, or the one document
// of `-o json`, which has no type.
type geminiMessage struct {
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

// geminiEvent reads one. The final event is the result.
func geminiEvent(d *decoder, doc []byte) {
	var m geminiMessage
	if json.Unmarshal(doc, &m) != nil {
		return
	}
	switch m.Type {
	case "init":
		if m.Model != "auto" {
			d.said.usage.model = m.Model
		}
	case "message":
		if m.Role == "assistant" {
			if !m.Delta {
				d.paragraph()
			}
			d.say(m.Content)
		}
	case "tool_use", "tool_result":
		d.paragraph()
	case "error":
		// On the way; only the result says whether it mattered.
	case "result":
		geminiUsage(d, &m)
		geminiEnd(d, &m, m.Status == "success")
	case "":
		if m.Response != nil {
			d.say(*m.Response)
		}
		if m.Response != nil || m.Error != nil {
			geminiUsage(d, &m)
			geminiEnd(d, &m, m.Error == nil)
		}
	}
}

func geminiEnd(d *decoder, m *geminiMessage, ok bool) {
	switch {
	case ok:
		d.succeed()
	case m.Error != nil:
		d.fail(m.Error.Message)
	default:
		d.fail("the agent ended with status " + m.Status)
	}
}

// geminiUsage reads the stats: totals in a stream, else a sum over the models.
// The last model is the one that answered; a router comes before it.
func geminiUsage(d *decoder, m *geminiMessage) {
	u := &d.said.usage
	names, models := geminiModels(m.Stats.Models)
	if len(names) > 0 && u.model == "" {
		u.model = names[len(names)-1]
	}
	if m.Stats.Input != nil || m.Stats.Output != nil {
		u.in, u.out = m.Stats.Input, m.Stats.Output
		return
	}
	for _, used := range models {
		u.tokens(used.Tokens.Input, used.Tokens.Output)
	}
}

type geminiModel struct {
	Tokens struct {
		Input  int64 `json:"input"`
		Output int64 `json:"candidates"`
	} `json:"tokens"`
}

// geminiModels reads an object of models, in its order.
func geminiModels(raw json.RawMessage) (names []string, models []geminiModel) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, nil
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			break
		}
		var m geminiModel
		if dec.Decode(&m) != nil {
			break
		}
		if s, ok := name.(string); ok {
			names, models = append(names, s), append(models, m)
		}
	}
	return names, models
}
