package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"sync"

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
		if s != "" {
			s += ": "
		}
		s += text.ShowLines(text.Shorten(string(d), maxErrorText))
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

// received is a message as processes write it: only what a member is for is looked at.
type received struct {
	ID     json.RawMessage `json:"id"`
	Method json.RawMessage `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// decode reads a line and reports whether it is a JSON object. A method that is no text is one that nobody
// knows; an error of any shape is an error.
func decode(line []byte) (m message, ok bool) {
	var r received
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &r) != nil {
		return m, false
	}
	m.ID, m.Params, m.Result = r.ID, r.Params, r.Result
	if set(r.Method) && json.Unmarshal(r.Method, &m.Method) != nil {
		m.Method = text.Shorten(string(r.Method), maxErrorText)
	}
	if set(r.Error) {
		m.Error = decodeError(r.Error)
	}
	return m, true
}

// set reports whether a member is there and not null.
func set(v json.RawMessage) bool { return len(v) > 0 && string(v) != "null" }

// decodeError reads an error, member by member: what is not of its type becomes data.
func decodeError(v json.RawMessage) *Error {
	var e struct {
		Code    json.RawMessage `json:"code"`
		Message json.RawMessage `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	var words string
	if json.Unmarshal(v, &words) == nil {
		return &Error{Code: Internal, Message: words}
	}
	if json.Unmarshal(v, &e) != nil || !set(e.Code) && !set(e.Message) {
		return &Error{Code: Internal, Data: v}
	}
	found := &Error{Code: Internal, Data: e.Data}
	var code float64
	if json.Unmarshal(e.Code, &code) == nil && math.Abs(code) < math.MaxInt32 {
		found.Code = int(code)
	}
	if json.Unmarshal(e.Message, &found.Message) != nil {
		found.Message = string(e.Message)
	}
	return found
}

// ends returns what the two ends of a message that is too long say of it: its id and its method, if they
// come before what is cut off, or if the id is its last member.
func ends(begun, tail []byte) message {
	m := head(begun)
	if last := lastID().FindSubmatch(tail); m.ID == nil && last != nil {
		m.ID = last[1]
	}
	return m
}

// lastID finds an id that is the last member of an object, but for the version: what closes a line closes
// the message.
var lastID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`,\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
})

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
