package unseen_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// newModel starts a model that says ECHO: and the newest message of its person, in the chat completions of OpenAI, and returns its address.
// What the person wants it to run it runs with a tool of the agent's.
func newModel(t *testing.T) string {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		respond(w, object{"object": "list", "data": []any{object{"id": "stub-model", "object": "model"}}})
	})
	mux.HandleFunc("POST /v1/chat/completions", chat)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// object is one of JSON.
type object = map[string]any

func respond(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the agent may have hung up
}

// asked is what an agent sends.
type asked struct {
	Stream  bool
	Options struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
	Tools    []tool
	Messages []struct {
		Role    string
		Content json.RawMessage
	}
}

func chat(w http.ResponseWriter, r *http.Request) {
	var a asked
	if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	says, call := "ECHO: "+a.newest(), a.call()
	answer := func(kind, part string, delta object, finish any) object {
		return object{"id": "chat-1", "object": kind, "created": time.Now().Unix(), "model": "stub-model",
			"choices": []any{object{"index": 0, part: delta, "finish_reason": finish}}}
	}
	usage := object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
	if len(a.Messages) > 0 && a.Messages[len(a.Messages)-1].Role == "tool" {
		says = "It has run."
	}
	if !a.Stream {
		whole := answer("chat.completion", "message", object{"role": "assistant", "content": says}, "stop")
		whole["usage"] = usage
		respond(w, whole)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	write := func(v any) {
		b, _ := json.Marshal(v) // strings and numbers always encode
		fmt.Fprintf(w, "data: %s\n\n", b)
		w.(http.Flusher).Flush()
	}
	write(answer("chat.completion.chunk", "delta", object{"role": "assistant", "content": ""}, nil))
	if call != nil {
		write(answer("chat.completion.chunk", "delta", object{"tool_calls": []any{call}}, nil))
		write(answer("chat.completion.chunk", "delta", object{}, "tool_calls"))
		fmt.Fprint(w, "data: [DONE]\n\n")
		return
	}
	pace := time.NewTicker(100 * time.Millisecond) // as a model speaks
	defer pace.Stop()
	for word := range strings.SplitAfterSeq(says, " ") {
		<-pace.C
		write(answer("chat.completion.chunk", "delta", object{"content": word}, nil))
	}
	write(answer("chat.completion.chunk", "delta", object{}, "stop"))
	if a.Options.Usage { // a part of its own: some clients take no text from a part with a usage
		last := answer("chat.completion.chunk", "delta", nil, nil)
		last["choices"], last["usage"] = []any{}, usage
		write(last)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// newest is what the person has said last. What an agent adds in a part of its own, between tags, is not theirs.
func (a *asked) newest() string {
	for _, m := range slices.Backward(a.Messages) {
		if m.Role != "user" {
			continue
		}
		var text string
		if json.Unmarshal(m.Content, &text) == nil {
			return strings.TrimSpace(text)
		}
		var parts []struct{ Text string }
		if json.Unmarshal(m.Content, &parts) != nil {
			continue
		}
		for _, p := range slices.Backward(parts) {
			if text = strings.TrimSpace(p.Text); text != "" && text[0] != '<' {
				break
			}
		}
		if text != "" {
			return text
		}
	}
	return ""
}

// tool is one that an agent offers.
type tool struct {
	Function struct {
		Name       string
		Parameters struct {
			Required   []string
			Properties map[string]struct{ Type any }
		}
	}
}

// call is the call of the tool that runs commands, if the person's message ends with a line "Run …"; nil if it does not, or if the tool has run.
func (a *asked) call() object {
	said := a.newest()
	command, runs := strings.CutPrefix(said[strings.LastIndex(said, "\n")+1:], "Run ")
	if !runs || len(a.Messages) > 0 && a.Messages[len(a.Messages)-1].Role == "tool" {
		return nil
	}
	for _, t := range a.Tools {
		takes := t.Function.Parameters.Properties
		if _, runs := takes["command"]; !runs || strings.Contains(t.Function.Name, "background") {
			continue
		}
		with := object{}
		for _, name := range t.Function.Parameters.Required {
			with[name] = map[any]any{"string": "test", "boolean": false, "number": 1, "integer": 1}[takes[name].Type]
		}
		with["command"] = command
		if takes["command"].Type == "array" {
			with["command"] = []string{"sh", "-c", command}
		}
		encoded, _ := json.Marshal(with) // strings and numbers always encode
		return object{"index": 0, "id": fmt.Sprint("call-", time.Now().UnixNano()), "type": "function",
			"function": object{"name": t.Function.Name, "arguments": string(encoded)}}
	}
	return nil
}
