package agents_test

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// responses is POST /v1/responses, which codex speaks.
func (m *model) responses(w http.ResponseWriter, r *http.Request) {
	type offer struct{ Type, Name string }
	var body struct {
		Model  string
		Stream bool
		Input  []struct {
			Type, Role string
			Content    blocks
			Output     blocks
		}
		Tools []struct {
			offer
			Tools []offer
		}
	}
	raw, err := decode(r, &body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	in := input{body: raw}
	for _, item := range slices.Backward(body.Input) {
		if strings.HasSuffix(item.Type, "_output") {
			in.text, in.result = strings.Join(item.Output.texts(), "\n"), true
			break
		}
		if item.Role != "user" {
			continue
		}
		if in.text = m.newest(item.Content.texts()); in.text != "" {
			break
		}
	}
	for _, t := range body.Tools {
		if t.Type != "namespace" {
			in.tools = append(in.tools, tool{name: t.Name, kind: t.Type})
			continue
		}
		for _, inner := range t.Tools {
			in.tools = append(in.tools, tool{name: inner.Name, namespace: t.Name, kind: inner.Type})
		}
	}
	m.answer(w, r, in, body.Stream, &responsesSpeaker{m: m, model: body.Model, id: m.id("resp"), item: m.id("msg")})
}

type responsesSpeaker struct {
	m               *model
	model, id, item string
	began           bool // the message
}

func (s *responsesSpeaker) response(status string, output []any) object {
	return object{
		"id": s.id, "object": "response", "created_at": time.Now().Unix(), "status": status, "model": s.model, "output": output,
		"parallel_tool_calls": false, "tools": []any{}, "tool_choice": "auto",
		"usage": object{"input_tokens": 10, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 5,
			"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 15},
	}
}

func (s *responsesSpeaker) send(e *events, name string, data object) {
	data["sequence_number"] = e.n
	e.n++
	e.typed(name, data)
}

func (s *responsesSpeaker) begin(e *events) {
	s.send(e, "response.created", object{"response": s.response("in_progress", []any{})})
}

func (s *responsesSpeaker) message(status string, content []any) object {
	return object{"type": "message", "id": s.item, "role": "assistant", "status": status, "content": content}
}

func outputText(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}}
}

func (s *responsesSpeaker) say(e *events, text string) {
	if !s.began {
		s.began = true
		s.send(e, "response.output_item.added", object{"output_index": 0, "item": s.message("in_progress", []any{})})
		s.send(e, "response.content_part.added", object{"item_id": s.item, "output_index": 0, "content_index": 0, "part": outputText("")})
	}
	s.send(e, "response.output_text.delta", object{"item_id": s.item, "output_index": 0, "content_index": 0, "delta": text})
}

func (s *responsesSpeaker) function(c *toolCall) object {
	if c.kind == "custom" {
		return object{"type": "custom_tool_call", "id": s.item, "call_id": s.m.id("call"), "name": c.name, "input": c.args["input"], "status": "completed"}
	}
	item := object{"type": "function_call", "id": s.item, "call_id": s.m.id("call"), "name": c.name, "arguments": c.json(), "status": "completed"}
	if c.namespace != "" {
		item["namespace"] = c.namespace
	}
	return item
}

// call has nothing to send: end sends the item as a whole.
func (s *responsesSpeaker) call(*events, *toolCall) {}

func (s *responsesSpeaker) output(p plan) object {
	if p.call != nil {
		return s.function(p.call)
	}
	return s.message("completed", []any{outputText(p.say.text())})
}

func (s *responsesSpeaker) end(e *events, p plan) {
	item := s.output(p)
	if p.call == nil {
		s.send(e, "response.output_text.done", object{"item_id": s.item, "output_index": 0, "content_index": 0, "text": p.say.text()})
	} else {
		s.send(e, "response.output_item.added", object{"output_index": 0, "item": item})
	}
	s.send(e, "response.output_item.done", object{"output_index": 0, "item": item})
	s.send(e, "response.completed", object{"response": s.response("completed", []any{item})})
}

func (s *responsesSpeaker) whole(p plan) any { return s.response("completed", []any{s.output(p)}) }
