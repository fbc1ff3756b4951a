package codec

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// maxCallID is the length limit of a JSON-RPC id in bytes: the id is sent again with every
// event of a stream.
const maxCallID = 1 << 10

// maxDepth bounds the nesting of a body. Protocol buffers stop at 100, but a data part may
// hold JSON from elsewhere.
const maxDepth = 256

// Call is a JSON-RPC request (JSON-RPC 2.0 §4).
type Call struct {
	// ID is a copy of the id as received, nil for a notification.
	ID     json.RawMessage
	Method string
	// Params are a part of the body, nil if there are none.
	Params json.RawMessage
}

// envelope holds the members of a call as received. A member that is absent is nil.
type envelope struct{ jsonrpc, id, method, params json.RawMessage }

// ParseCall reads a JSON-RPC request. The call is never nil. It has its ID even with an
// error, as soon as the ID is known, so that the error can be answered with it. The error
// is an ErrParse or an ErrInvalidRequest.
func ParseCall(body []byte) (*Call, error) {
	c := &Call{}
	if err := CheckJSON(bytes.Trim(body, jsonSpace)); err != nil {
		return c, err
	}
	root, err := parse(body, maxElements)
	switch {
	case err != nil:
		return c, err
	case root.raw[0] == '[':
		return c, a2a.ErrInvalidRequest.With("batches are not supported, send one request at a time")
	case root.raw[0] != '{':
		return c, a2a.ErrInvalidRequest.With("the body must be a JSON-RPC request object")
	}
	var e envelope
	if err := root.members(e.member); err != nil {
		return c, a2a.ErrInvalidRequest.With("%w", err)
	}
	return c, c.read(&e)
}

// member stores one member of the envelope. Names are case-sensitive: a request with an ID
// has no id.
func (e *envelope) member(key string, v *node) error {
	switch key {
	case "jsonrpc":
		e.jsonrpc = v.raw
	case "id":
		e.id = v.raw
	case "method":
		e.method = v.raw
	case "params":
		e.params = v.raw
	}
	return nil
}

// read checks the envelope's members and sets the call's.
func (c *Call) read(e *envelope) error {
	if !validCallID(e.id) {
		return a2a.ErrInvalidRequest.With("id must be a string, a number or null, of at most %d bytes", maxCallID)
	}
	c.ID, c.Params = bytes.Clone(e.id), e.params // a stream keeps the id, and not the body
	if string(e.jsonrpc) != `"2.0"` {
		return a2a.ErrInvalidRequest.With(`jsonrpc must be "2.0"`)
	}
	if json.Unmarshal(e.method, &c.Method) != nil || c.Method == "" {
		return a2a.ErrInvalidRequest.With("method must be a string")
	}
	return nil
}

// validCallID reports whether JSON-RPC allows the id. A call without an id is a
// notification and is valid.
func validCallID(id json.RawMessage) bool {
	if len(id) == 0 {
		return true
	}
	if len(id) > maxCallID {
		return false
	}
	return id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9' || string(id) == "null"
}

// CheckJSON returns an error if b is empty or not UTF-8, or if it is nested so deeply that
// reading it again would be costly.
func CheckJSON(b []byte) error {
	switch {
	case len(b) == 0:
		return a2a.ErrParse.With("invalid JSON: the body is empty")
	case !utf8.Valid(b):
		return a2a.ErrParse.With("invalid JSON: the body is not UTF-8")
	case nestedDeeper(b, maxDepth):
		return a2a.ErrInvalidRequest.With("the body is nested deeper than %d levels", maxDepth)
	}
	return nil
}

// nestedDeeper reports whether objects and arrays in b are nested deeper than limit. b need
// not be valid JSON.
func nestedDeeper(b []byte, limit int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > limit {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
