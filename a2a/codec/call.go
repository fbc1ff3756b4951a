package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// maxCallID is the length limit of a JSON-RPC id in bytes: the id is sent again with every
// event of a stream.
const maxCallID = 1 << 10

// maxDepth bounds the nesting of a body. Protocol buffers stop at 100, but a data part may
// hold JSON from elsewhere.
const maxDepth = 256

// Params are what a request asks for: the params of JSON-RPC, or the body or query of REST.
// They are known to be JSON. The zero Params are null.
type Params struct{ text []byte }

// ReadParams checks the body of a REST request, which must not change as long as the Params
// are used; an empty one is null. The error is an ErrParse or an ErrInvalidRequest.
func ReadParams(body []byte) (Params, error) {
	body = bytes.Trim(body, jsonSpace)
	if len(body) == 0 {
		return Params{}, nil
	}
	return Params{body}, checkBody(body, nil)
}

// Call is a JSON-RPC request (JSON-RPC 2.0 §4).
type Call struct {
	// ID is a copy of the id as received, nil for a notification.
	ID     json.RawMessage
	Method string
	// Params are a part of the body.
	Params Params
}

// envelope holds the members of a call as received. A member that is absent is nil.
type envelope struct {
	jsonrpc, id, method, params []byte

	seen names
	err  error // what is wrong with the members
}

// ParseCall reads a JSON-RPC request. The call is never nil. It has its ID even with an
// error, as soon as the ID is known, so that the error can be answered with it. The error
// is an ErrParse or an ErrInvalidRequest.
func ParseCall(body []byte) (*Call, error) {
	c, e := &Call{}, &envelope{}
	body = bytes.Trim(body, jsonSpace)
	err := checkBody(body, e.member)
	switch {
	case err != nil:
		return c, err
	case body[0] == '[':
		return c, a2a.ErrInvalidRequest.With("batches are not supported, send one request at a time")
	case body[0] != '{':
		return c, a2a.ErrInvalidRequest.With("the body must be a JSON-RPC request object")
	case e.err != nil:
		return c, a2a.ErrInvalidRequest.With("%w", e.err)
	}
	return c, c.read(e)
}

// member stores one member of the envelope. Names are case-sensitive: a request with an ID
// has no id.
func (e *envelope) member(key, value []byte) {
	name := unquote(key)
	switch {
	case e.err != nil:
		return
	case !e.seen.add(name):
		e.err = fmt.Errorf("%.100q is here twice", name)
	case e.seen.count > maxElements:
		e.err = fmt.Errorf("has too many elements: there may be %d in all", maxElements)
	}
	switch name {
	case "jsonrpc":
		e.jsonrpc = value
	case "id":
		e.id = value
	case "method":
		e.method = value
	case "params":
		e.params = value
	}
}

// read checks the envelope's members and sets the call's.
func (c *Call) read(e *envelope) error {
	if !validCallID(e.id) {
		return a2a.ErrInvalidRequest.With("id must be a string, a number or null, of at most %d bytes", maxCallID)
	}
	c.ID, c.Params = bytes.Clone(e.id), Params{e.params} // a stream keeps the id, and not the body
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
func validCallID(id []byte) bool {
	if len(id) == 0 {
		return true
	}
	if len(id) > maxCallID {
		return false
	}
	return id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9' || string(id) == "null"
}

// checkBody checks a body and calls member with each member of its root. The error is an
// ErrInvalidRequest if the body is nested so deeply that reading it again would be costly,
// else an ErrParse.
func checkBody(body []byte, member func(key, value []byte)) error {
	switch {
	case len(body) == 0:
		return a2a.ErrParse.With("invalid JSON: the body is empty")
	case !utf8.Valid(body):
		return a2a.ErrParse.With("invalid JSON: the body is not UTF-8")
	}
	switch err := check(body, maxDepth, member); {
	case errors.Is(err, errDepth):
		return a2a.ErrInvalidRequest.With("the body is nested deeper than %d levels", maxDepth)
	case err != nil:
		return a2a.ErrParse.With("invalid JSON: %w", syntaxError(body))
	}
	return nil
}
