package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Codes of errors that the connection itself answers with.
const (
	InvalidRequest = -32600
	MethodNotFound = -32601
	InvalidParams  = -32602
	Internal       = -32603
	Busy           = -32000 // too many requests are open
)

// Error is an error as JSON-RPC has it. Its text is the process's, unless we have made it.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// maxErrorText is how much of an error's message and data its text shows, in bytes.
const maxErrorText = 1 << 10

// Error returns the message, and the data if there is any, in a form that can be shown.
func (e *Error) Error() string {
	s := text.ShowLines(text.Shorten(e.Message, maxErrorText))
	if d := bytes.TrimSpace(e.Data); len(d) > 0 && !bytes.Equal(d, []byte("null")) {
		s += ": " + text.ShowLines(text.Shorten(string(d), maxErrorText))
	}
	if s == "" {
		return fmt.Sprintf("error %d", e.Code)
	}
	return s
}

// Errorf returns an error with a text.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// message is any message on the wire.
type message struct {
	Version string          `json:"jsonrpc,omitempty"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// identified reports whether the message has an id.
func (m *message) identified() bool { return len(m.ID) > 0 && string(m.ID) != "null" }

// head returns what the beginning of a message says of it: its id and its method, if they come
// before what is cut off.
func head(begun []byte) (m message) {
	d := json.NewDecoder(bytes.NewReader(begun))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return m
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return m
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return m
		}
		switch key {
		case "id":
			m.ID = value
		case "method":
			_ = json.Unmarshal(value, &m.Method) // a method that is no text is none
		}
	}
	return m
}
