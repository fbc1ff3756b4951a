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
	says := "ECHO: " + a.newest()
	answer := func(kind, part string, delta object, finish any) object {
		return object{"id": "chat-1", "object": kind, "created": time.Now().Unix(), "model": "stub-model",
			"choices": []any{object{"index": 0, part: delta, "finish_reason": finish}}}
	}
	usage := object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
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

// newest is the last text of the person's last message.
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
		if json.Unmarshal(m.Content, &parts) == nil && len(parts) > 0 {
			return strings.TrimSpace(parts[len(parts)-1].Text)
		}
	}
	return ""
}
