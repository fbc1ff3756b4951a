package agents_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// blocks are a content that comes as a string, or as a list of parts.
type blocks []block

type block struct {
	Type    string
	Text    string
	Content blocks // of a tool's result
}

func (b *blocks) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*b = blocks{{Type: "text", Text: text}}
		return nil
	}
	var list []block
	if json.Unmarshal(data, &list) == nil {
		*b = list
		return nil
	}
	*b = blocks{{Type: "text", Text: string(data)}}
	return nil
}

func (b blocks) texts() []string {
	var texts []string
	for _, part := range b {
		if part.Text != "" {
			texts = append(texts, part.Text)
		}
	}
	return texts
}

// events is a stream of server-sent events.
type events struct {
	w http.ResponseWriter
	n int
}

func newEvents(w http.ResponseWriter) *events {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	return &events{w: w}
}

// send writes one event, with its name where the API has names.
func (e *events) send(name string, data any) {
	if name != "" {
		fmt.Fprintf(e.w, "event: %s\n", name)
	}
	text, ok := data.(string)
	if !ok {
		text = encode(data)
	}
	fmt.Fprintf(e.w, "data: %s\n\n", text)
	e.w.(http.Flusher).Flush()
}

// typed is send for the APIs whose data repeats the event's name.
func (e *events) typed(name string, data object) {
	data["type"] = name
	e.send(name, data)
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, encode(v))
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil { // maps of what always encodes
		panic(err)
	}
	return string(b)
}

// decode reads a request's body into v, and returns it.
func decode(r *http.Request, v any) (string, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", err
	}
	return string(body), json.Unmarshal(body, v)
}
