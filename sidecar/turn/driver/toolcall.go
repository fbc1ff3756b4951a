package driver

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// ToolCallURI names the tool-call extension: on the card, in the extensions of messages and
// artifacts, and as the metadata key of the toolCall object.
const ToolCallURI = "urn:a2a-sidecar:tool-call:v1"

// ThoughtURI and PlanURI are the metadata keys of updates that tell what the agent's model thinks,
// {"text"}, and how it means to go on: {"entries":[{"content","priority"?,"status"?}]}.
const (
	ThoughtURI = "urn:a2a-sidecar:thought:v1"
	PlanURI    = "urn:a2a-sidecar:plan:v1"
)

// observableLimit bounds, in bytes, what every update of a tool repeats, so that n chunks of live
// content cost O(n).
const observableLimit = 4 << 10

// Observable returns what updates show of a tool's arguments: an object of at most 4 KiB, or an object
// that says how long the real one is. args is "" or valid JSON.
func Observable(args string) string {
	switch {
	case args == "" || args[0] != '{':
		return "{}"
	case len(args) > observableLimit:
		return `{"truncated":true,"bytes":` + strconv.Itoa(len(args)) + `}`
	}
	return args
}

// typedCall is the line by which a call reaches an agent that reads lines.
type typedCall struct {
	ToolCall struct {
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCall"`
}

// CallText returns a call in words: the bridge's own prompt, else the tool prompt
// with its placeholders filled in, else one line of JSON.
func CallText(c *Call, toolPrompt string) (string, error) {
	switch {
	case c.Prompt != "":
		return c.Prompt, nil
	case toolPrompt != "":
		return fill(toolPrompt, c)
	}
	var line typedCall
	line.ToolCall.ID, line.ToolCall.Name = c.ID, c.Tool
	line.ToolCall.Arguments = c.Arguments
	if len(bytes.TrimSpace(c.Arguments)) == 0 {
		line.ToolCall.Arguments = json.RawMessage("{}")
	}
	b, err := json.Marshal(line)
	return string(b), err
}

// placeholder is {id}, {name}, {arguments} or {arguments.x} in a tool prompt.
var placeholder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{(id|name|arguments(?:\.[A-Za-z0-9_-]+)?)\}`)
})

// fill puts a call into a tool prompt. An absent argument becomes nothing; text is
// inserted as it is, anything else as JSON.
func fill(prompt string, c *Call) (string, error) {
	var args map[string]json.RawMessage
	if len(bytes.TrimSpace(c.Arguments)) > 0 {
		if err := json.Unmarshal(c.Arguments, &args); err != nil {
			return "", err
		}
	}
	return placeholder().ReplaceAllStringFunc(prompt, func(p string) string {
		switch name := strings.Trim(p, "{}"); name {
		case "id":
			return c.ID
		case "name":
			return c.Tool
		case "arguments":
			return compact(c.Arguments)
		default:
			return argument(args[strings.TrimPrefix(name, "arguments.")])
		}
	}), nil
}

// argument returns a value as it stands in a text.
func argument(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return compact(v)
}

func compact(v json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, v) != nil {
		return ""
	}
	return b.String()
}

// typedResult is the line by which an agent that writes lines answers a call.
type typedResult struct {
	ToolResult *struct {
		ID         string          `json:"id"`
		Content    json.RawMessage `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	} `json:"toolResult"`
}

// ReadResult reads a line as the result of the call with that id, and reports
// whether it is one.
func ReadResult(line []byte, id string) (CallResult, bool) {
	line = bytes.TrimSpace(line)
	if !bytes.HasPrefix(line, []byte("{")) || !bytes.Contains(line, []byte(`"toolResult"`)) {
		return CallResult{}, false
	}
	var r typedResult
	if json.Unmarshal(line, &r) != nil || r.ToolResult == nil || r.ToolResult.ID != id {
		return CallResult{}, false
	}
	return CallResult{
		Output:     contentText(r.ToolResult.Content),
		Structured: r.ToolResult.Structured,
		IsError:    r.ToolResult.IsError,
	}, true
}

// FindResult returns the first line of an answer that is the result of the call with that id, and reports
// whether there is one.
func FindResult(answer []byte, id string) (CallResult, bool) {
	if !bytes.Contains(answer, []byte(`"toolResult"`)) {
		return CallResult{}, false
	}
	for line := range bytes.Lines(answer) {
		if r, ok := ReadResult(line, id); ok {
			return r, true
		}
	}
	return CallResult{}, false
}

// contentText returns a result's content: text, the text of MCP content blocks, or
// any other JSON as it is.
func contentText(content json.RawMessage) []byte {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []byte(text)
	}
	var blocks []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		return content
	}
	var lines []string
	for _, b := range blocks {
		if b.Type != "text" {
			return content
		}
		lines = append(lines, b.Text)
	}
	return []byte(strings.Join(lines, "\n"))
}
