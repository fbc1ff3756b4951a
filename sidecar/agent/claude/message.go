package claude

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// message is one line of `claude -p --output-format stream-json`, or the one document
// of `json`.
type message struct {
	Type    string  `json:"type"`
	Subtype string  `json:"subtype"`
	Parent  *string `json:"parent_tool_use_id"`
	Event   struct {
		Type    string `json:"type"`
		Block   block  `json:"content_block"`
		Message struct {
			ID string `json:"id"`
		} `json:"message"`
		Delta struct {
			Type     string `json:"type"`
			Text     string `json:"text"`
			Thinking string `json:"thinking"`
		} `json:"delta"`
	} `json:"event"`
	Message struct {
		ID      string          `json:"id"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`

	// Of system.
	Model        string  `json:"model"`
	Version      string  `json:"claude_code_version"`
	Status       string  `json:"status"`
	Attempt      int     `json:"attempt"`
	ErrorStatus  int     `json:"error_status"`
	RetryDelayMS float64 `json:"retry_delay_ms"`
	// Error is also an assistant's whose words say why a request failed.
	Error json.RawMessage `json:"error"`

	// Of user.
	ToolResult json.RawMessage `json:"tool_use_result"`
	Replay     bool            `json:"isReplay"`

	// Of result.
	IsError    bool     `json:"is_error"`
	Result     string   `json:"result"`
	Errors     []string `json:"errors"`
	Ended      string   `json:"terminal_reason"`
	StopReason string   `json:"stop_reason"`
	Cost       *float64 `json:"total_cost_usd"` // of the conversation, as far as the process knows it
	Usage      *struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
	} `json:"usage"`
	ModelUsage map[string]struct {
		Output int64 `json:"outputTokens"`
	} `json:"modelUsage"`
	Origin *struct {
		Kind string `json:"kind"`
	} `json:"origin"`

	// Of control_request, control_cancel_request and control_response.
	RequestID string          `json:"request_id"`
	Request   json.RawMessage `json:"request"`
	Response  *reply          `json:"response"`

	// Of rate_limit_event.
	RateLimit *struct {
		Status   string `json:"status"`
		ResetsAt int64  `json:"resetsAt"`
		Type     string `json:"rateLimitType"`
	} `json:"rate_limit_info"`
}

// block is a part of a message.
type block struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
	ToolUse  string          `json:"tool_use_id"`
	Content  json.RawMessage `json:"content"`
	IsError  bool            `json:"is_error"`
}

// blocks returns the parts of a message.
func (m *message) blocks() []block { return blocksOf(m.Message.Content) }

// blocksOf returns the parts of a content; none if it is a text.
func blocksOf(content json.RawMessage) (all []block) {
	_ = json.Unmarshal(content, &all) // what cannot be read stays empty
	return all
}

// maxReason is how much of the reason of a failure is kept, in bytes.
const maxReason = 4 << 10

// reason returns why a turn failed, in claude's words.
func (m *message) reason() string {
	var errors []string
	for _, e := range m.Errors {
		if !strings.HasPrefix(e, "[ede_diagnostic]") { // which are for its makers
			errors = append(errors, e)
		}
	}
	return text.Shorten(cmp.Or(m.Result, strings.Join(errors, "; "), m.Subtype), maxReason)
}

// spent returns what a result says of the turn's tokens, and of the model if it is not known.
func (m *message) spent(model string) peer.Usage {
	u := peer.Usage{Model: model}
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
	return u
}
