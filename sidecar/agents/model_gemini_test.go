package agents_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// ownQuestions answers what gemini asks of a model in JSON, for itself.
const ownQuestions = `{"reasoning":"stub","next_speaker":"user","model_choice":"flash","complexity_reasoning":"stub","complexity_score":1,` +
	`"confidence":1,"analysis":"stub","title":"stub"}`

// gemini is POST /v1beta/models/NAME:METHOD, which gemini speaks.
func (m *model) gemini(w http.ResponseWriter, r *http.Request) {
	name, method, _ := strings.Cut(r.PathValue("call"), ":")
	if method == "countTokens" {
		reply(w, object{"totalTokens": 10})
		return
	}
	var body struct {
		Contents []struct {
			Role  string
			Parts []struct {
				Text             string
				FunctionResponse *struct{ Response json.RawMessage }
			}
		}
		Tools            []struct{ FunctionDeclarations []struct{ Name string } }
		GenerationConfig struct{ ResponseMimeType string }
	}
	raw, err := decode(r, &body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	in := input{body: raw}
	for _, c := range slices.Backward(body.Contents) {
		if c.Role == "model" {
			continue
		}
		var texts []string
		for _, p := range c.Parts {
			if p.FunctionResponse != nil {
				in.text, in.result = string(p.FunctionResponse.Response), true
			}
			texts = append(texts, p.Text)
		}
		if in.result {
			break
		}
		if in.text = m.newest(texts); in.text != "" {
			break
		}
	}
	for _, t := range body.Tools {
		for _, f := range t.FunctionDeclarations {
			in.tools = append(in.tools, tool{name: f.Name})
		}
	}
	if body.GenerationConfig.ResponseMimeType == "application/json" {
		in.tools = nil
	}
	m.answer(w, r, in, method == "streamGenerateContent", &geminiSpeaker{m: m, model: name, asJSON: body.GenerationConfig.ResponseMimeType == "application/json"})
}

type geminiSpeaker struct {
	m      *model
	model  string
	asJSON bool
}

func (s *geminiSpeaker) response(part object, finish any) object {
	candidate := object{"content": object{"role": "model", "parts": []any{part}}, "index": 0}
	if finish != nil {
		candidate["finishReason"] = finish
	}
	return object{
		"candidates": []any{candidate}, "modelVersion": s.model, "responseId": s.m.id("gem"),
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
	}
}

func (s *geminiSpeaker) begin(*events) {}

func (s *geminiSpeaker) say(e *events, text string) {
	if s.asJSON {
		text = ownQuestions
	}
	e.send("", s.response(object{"text": text}, nil))
}

func (s *geminiSpeaker) function(c *toolCall) object {
	return object{"functionCall": object{"id": s.m.id("call"), "name": c.name, "args": c.args}}
}

func (s *geminiSpeaker) call(e *events, c *toolCall) { e.send("", s.response(s.function(c), "STOP")) }

func (s *geminiSpeaker) end(e *events, p plan) {
	if p.call == nil {
		e.send("", s.response(object{"text": ""}, "STOP"))
	}
}

func (s *geminiSpeaker) whole(p plan) any {
	switch {
	case s.asJSON:
		return s.response(object{"text": ownQuestions}, "STOP")
	case p.call != nil:
		return s.response(s.function(p.call), "STOP")
	}
	return s.response(object{"text": p.say.text()}, "STOP")
}
