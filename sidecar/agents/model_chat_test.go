package agents_test

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// chat is POST /v1/chat/completions, which opencode speaks.
func (m *model) chat(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role    string
			Content blocks
		}
		Tools []struct{ Function struct{ Name string } }
	}
	raw, err := decode(r, &body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	in := input{body: raw}
	for _, msg := range slices.Backward(body.Messages) {
		if msg.Role == "tool" {
			in.text, in.result = strings.Join(msg.Content.texts(), "\n"), true
			break
		}
		if msg.Role != "user" {
			continue
		}
		if in.text = m.newest(msg.Content.texts()); in.text != "" {
			break
		}
	}
	for _, t := range body.Tools {
		in.tools = append(in.tools, tool{name: t.Function.Name})
	}
	m.answer(w, r, in, body.Stream, &chatSpeaker{m: m, model: body.Model, id: m.id("chatcmpl")})
}

type chatSpeaker struct {
	m         *model
	model, id string
}

func (s *chatSpeaker) chunk(delta object, finish any) object {
	return object{
		"id": s.id, "object": "chat.completion.chunk", "created": time.Now().Unix(), "model": s.model,
		"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}},
	}
}

func (s *chatSpeaker) begin(e *events) {
	e.send("", s.chunk(object{"role": "assistant", "content": ""}, nil))
}

func (s *chatSpeaker) say(e *events, text string) {
	e.send("", s.chunk(object{"content": text}, nil))
}

func (s *chatSpeaker) calls(c *toolCall) []any {
	return []any{object{"index": 0, "id": s.m.id("call"), "type": "function", "function": object{"name": c.name, "arguments": c.json()}}}
}

func (s *chatSpeaker) call(e *events, c *toolCall) {
	e.send("", s.chunk(object{"tool_calls": s.calls(c)}, nil))
}

func finishReason(p plan) string {
	if p.call != nil {
		return "tool_calls"
	}
	return "stop"
}

func (s *chatSpeaker) usage() object {
	return object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
}

func (s *chatSpeaker) end(e *events, p plan) {
	e.send("", s.chunk(object{}, finishReason(p)))
	last := s.chunk(object{}, nil)
	last["choices"], last["usage"] = []any{}, s.usage()
	e.send("", last)
	e.send("", "[DONE]")
}

func (s *chatSpeaker) whole(p plan) any {
	message := object{"role": "assistant", "content": p.say.text()}
	if p.call != nil {
		message = object{"role": "assistant", "content": nil, "tool_calls": s.calls(p.call)}
	}
	return object{
		"id": s.id, "object": "chat.completion", "created": time.Now().Unix(), "model": s.model, "usage": s.usage(),
		"choices": []any{object{"index": 0, "message": message, "finish_reason": finishReason(p)}},
	}
}
