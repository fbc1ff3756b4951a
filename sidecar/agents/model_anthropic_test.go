package agents_test

import (
	"net/http"
	"slices"
	"strings"
)

// anthropic is POST /v1/messages, which claude speaks.
func (m *model) anthropic(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role    string
			Content blocks
		}
		Tools []struct{ Name string }
	}
	raw, err := decode(r, &body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	in := input{body: raw}
	for _, msg := range slices.Backward(body.Messages) {
		if msg.Role != "user" {
			continue
		}
		if in.text, in.result = m.said(msg.Content); in.text != "" {
			break
		}
	}
	for _, t := range body.Tools {
		in.tools = append(in.tools, tool{name: t.Name})
	}
	m.answer(w, r, in, body.Stream, &anthropicSpeaker{m: m, model: body.Model, id: m.id("msg")})
}

// said is what one message brings: text behind a tool's result is newer than it.
func (m *model) said(content blocks) (text string, result bool) {
	var results []string
	var after blocks
	for _, b := range content {
		if b.Type == "tool_result" {
			results, after = append(results, strings.Join(b.Content.texts(), "\n")), nil
		} else {
			after = append(after, b)
		}
	}
	if text := m.newest(after.texts()); text != "" || len(results) == 0 {
		return text, false
	}
	return strings.Join(results, "\n"), true
}

type anthropicSpeaker struct {
	m         *model
	model, id string
	began     bool // the text block
}

func (s *anthropicSpeaker) message(content []any, stop any) object {
	return object{
		"id": s.id, "type": "message", "role": "assistant", "model": s.model, "content": content, "stop_reason": stop, "stop_sequence": nil,
		"usage": object{"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
	}
}

func (s *anthropicSpeaker) begin(e *events) {
	e.typed("message_start", object{"message": s.message([]any{}, nil)})
}

func (s *anthropicSpeaker) say(e *events, text string) {
	if !s.began {
		s.began = true
		e.typed("content_block_start", object{"index": 0, "content_block": object{"type": "text", "text": ""}})
	}
	e.typed("content_block_delta", object{"index": 0, "delta": object{"type": "text_delta", "text": text}})
}

func (s *anthropicSpeaker) call(e *events, c *toolCall) {
	s.began = true
	e.typed("content_block_start", object{"index": 0, "content_block": object{"type": "tool_use", "id": s.m.id("toolu"), "name": c.name, "input": object{}}})
	e.typed("content_block_delta", object{"index": 0, "delta": object{"type": "input_json_delta", "partial_json": c.json()}})
}

func stopReason(p plan) string {
	if p.call != nil {
		return "tool_use"
	}
	return "end_turn"
}

func (s *anthropicSpeaker) end(e *events, p plan) {
	e.typed("content_block_stop", object{"index": 0})
	e.typed("message_delta", object{"delta": object{"stop_reason": stopReason(p), "stop_sequence": nil}, "usage": object{"output_tokens": 5}})
	e.typed("message_stop", object{})
}

func (s *anthropicSpeaker) whole(p plan) any {
	block := object{"type": "text", "text": p.say.text()}
	if p.call != nil {
		block = object{"type": "tool_use", "id": s.m.id("toolu"), "name": p.call.name, "input": p.call.args}
	}
	return s.message([]any{block}, stopReason(p))
}
