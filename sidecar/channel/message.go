package channel

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// message is a received JSON-RPC 2.0 request, notification or response.
type message struct {
	id     json.RawMessage // nil if absent
	method string          // "" in a response
	params json.RawMessage
	result json.RawMessage
	fault  json.RawMessage
}

// notification reports whether the message wants no answer.
func (m *message) notification() bool { return m.id == nil }

// parseMessage reads a frame. It may return the message together with the error, so
// that the error can be sent under its id.
func parseMessage(frame []byte) (*message, *Error) {
	var w struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
		Params  json.RawMessage `json:"params"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(frame, &w); err != nil {
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			return &message{id: usableID(w.ID)}, ErrInvalidRequest.With("invalid request: %s", typeFault(wrong))
		}
		return nil, ErrParse.With("invalid JSON: %s", err)
	}
	m := &message{id: w.ID, params: w.Params, result: w.Result, fault: w.Error}
	if m.id != nil && usableID(m.id) == nil {
		return &message{}, ErrInvalidRequest.With("invalid request: id must be a string or a number")
	}
	if w.Method != nil {
		m.method = *w.Method
	}
	switch {
	case w.Version != "2.0":
		return m, ErrInvalidRequest.With(`invalid request: jsonrpc must be "2.0"`)
	case m.method == "" && m.result == nil && m.fault == nil:
		return m, ErrInvalidRequest.With("invalid request: no method")
	}
	return m, nil
}

// usableID returns id if JSON-RPC allows it, else nil.
func usableID(id json.RawMessage) json.RawMessage {
	if len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9' || id[0] == 'n') {
		return id
	}
	return nil
}

// number returns the id as a number, and reports whether it is one. The ids of our
// own requests are numbers.
func (m *message) number() (uint64, bool) {
	n, err := strconv.ParseUint(string(m.id), 10, 64)
	return n, err == nil
}

func typeFault(err *json.UnmarshalTypeError) string {
	if err.Field == "" {
		return "must be an object, not " + err.Value
	}
	return err.Field + " must be " + jsonKind(err) + ", not " + err.Value
}

// jsonKind names the kind of JSON that a Go type is read from.
func jsonKind(err *json.UnmarshalTypeError) string {
	switch err.Type.Kind().String() {
	case "string":
		return "a string"
	case "bool":
		return "true or false"
	case "float64":
		return "a number"
	case "int64", "uint64":
		return "a whole number"
	case "slice":
		return "an array"
	}
	return "an object"
}

// decode reads params or a result into v. An error is an ErrInvalidParams that names
// the field.
func decode(raw json.RawMessage, v any) error {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		raw = json.RawMessage("{}")
	}
	err := json.Unmarshal(raw, v)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		if wrong.Field == "" {
			return invalid("params", "must be an object, not %s", wrong.Value)
		}
		field := strings.ReplaceAll(wrong.Field, "extras.", "") // embedded: the JSON has no such name
		return invalid(field, "must be %s, not %s", jsonKind(wrong), wrong.Value)
	}
	if err != nil {
		return invalid("params", "%s", err)
	}
	return nil
}

// request is a request to send or, without ID, a notification.
type request struct {
	Version string  `json:"jsonrpc"`
	ID      *uint64 `json:"id,omitempty"`
	Method  string  `json:"method"`
	Params  any     `json:"params,omitempty"`
}

// response is a response to send.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *wireError      `json:"error,omitempty"`
}

// encode returns a frame with its newline, or ErrFrame if it would be too long.
func encode(v any) ([]byte, error) {
	frame, err := text.JSON(v)
	switch {
	case err != nil:
		return nil, err
	case len(frame) > MaxFrame:
		return nil, ErrFrame
	}
	return append(frame, '\n'), nil
}
