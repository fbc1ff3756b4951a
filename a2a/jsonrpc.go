package a2a

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// rpcMethod is a JSON-RPC method: its name says the dialect (§5.3).
type rpcMethod struct {
	version Version
	op      operation
}

var rpcMethods = map[string]rpcMethod{
	"SendMessage":                      {V10, opSend},
	"SendStreamingMessage":             {V10, opStream},
	"GetTask":                          {V10, opGet},
	"ListTasks":                        {V10, opList},
	"CancelTask":                       {V10, opCancel},
	"SubscribeToTask":                  {V10, opSubscribe},
	"CreateTaskPushNotificationConfig": {V10, opCreatePush},
	"GetTaskPushNotificationConfig":    {V10, opGetPush},
	"ListTaskPushNotificationConfigs":  {V10, opListPush},
	"DeleteTaskPushNotificationConfig": {V10, opDeletePush},
	"GetExtendedAgentCard":             {V10, opExtendedCard},

	"message/send":                        {V03, opSend},
	"message/stream":                      {V03, opStream},
	"tasks/get":                           {V03, opGet},
	"tasks/list":                          {V03, opList},
	"tasks/cancel":                        {V03, opCancel},
	"tasks/resubscribe":                   {V03, opSubscribe},
	"tasks/pushNotificationConfig/set":    {V03, opCreatePush},
	"tasks/pushNotificationConfig/get":    {V03, opGetPush},
	"tasks/pushNotificationConfig/list":   {V03, opListPush},
	"tasks/pushNotificationConfig/delete": {V03, opDeletePush},
	"agent/getAuthenticatedExtendedCard":  {V03, opExtendedCard},
}

// maxRPCID is the longest JSON-RPC id that is taken: it is sent again with
// every event of a stream.
const maxRPCID = 1 << 10

// rpcRequest is the envelope (JSON-RPC 2.0 §4). A member that is absent is nil;
// the others are the bytes that came.
type rpcRequest struct {
	jsonrpc, id, name, params json.RawMessage

	method string
}

// serveRPC answers POST / and POST /a2a.
func (x *exchange) serveRPC() {
	if !isJSON(x.r.Header.Get("Content-Type")) {
		x.fail(ErrContentType.With("Content-Type %.100q is not supported, send application/json", x.r.Header.Get("Content-Type")))
		return
	}
	body, err := x.readBody()
	if err != nil {
		x.fail(err)
		return
	}
	req, err := x.parseRPC(body)
	if err != nil {
		x.fail(err)
		return
	}
	m, ok := rpcMethods[req.method]
	if !ok {
		x.fail(x.unknownMethod(req.method))
		return
	}
	x.codec = x.s.rpcCodec(m.version)
	if len(req.id) == 0 {
		x.serveNotification(m.op, input{raw: req.params})
		return
	}
	x.perform(m.op, input{raw: req.params})
}

// unknownMethod says what is wrong: a version that is not spoken explains a
// method that is not known.
func (x *exchange) unknownMethod(name string) error {
	if err := x.negotiate(); err != nil {
		return err
	}
	return ErrMethodNotFound.With("there is no method %.100q", name)
}

// parseRPC reads the envelope and takes over its id, so that errors carry it as
// soon as it is known.
func (x *exchange) parseRPC(body []byte) (*rpcRequest, error) {
	if err := checkJSON(bytes.Trim(body, jsonSpace)); err != nil {
		return nil, err
	}
	root, err := parse(body, maxElements)
	switch {
	case err != nil:
		return nil, err
	case root.raw[0] == '[':
		return nil, ErrInvalidRequest.With("batches are not supported, send one request at a time")
	case root.raw[0] != '{':
		return nil, ErrInvalidRequest.With("the body must be a JSON-RPC request object")
	}
	var req rpcRequest
	if err := root.members(req.member); err != nil {
		return nil, ErrInvalidRequest.With("%w", err)
	}
	return &req, x.checkRPC(&req)
}

// member takes over one member of the envelope. Names count exactly: a request
// with an ID has no id.
func (r *rpcRequest) member(key string, v *node) error {
	switch key {
	case "jsonrpc":
		r.jsonrpc = v.raw
	case "id":
		r.id = v.raw
	case "method":
		r.name = v.raw
	case "params":
		r.params = v.raw
	}
	return nil
}

func (x *exchange) checkRPC(req *rpcRequest) error {
	if !validRPCID(req.id) {
		return ErrInvalidRequest.With("id must be a string, a number or null, of at most %d bytes", maxRPCID)
	}
	x.id = bytes.Clone(req.id) // a stream keeps it, and not the body
	if string(req.jsonrpc) != `"2.0"` {
		return ErrInvalidRequest.With(`jsonrpc must be "2.0"`)
	}
	if json.Unmarshal(req.name, &req.method) != nil || req.method == "" {
		return ErrInvalidRequest.With("method must be a string")
	}
	return nil
}

// validRPCID accepts what JSON-RPC does; none at all is a notification.
func validRPCID(id json.RawMessage) bool {
	if len(id) == 0 {
		return true
	}
	if len(id) > maxRPCID {
		return false
	}
	return id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9' || string(id) == "null"
}

// checkJSON refuses what is no JSON text, and what is nested so deep that
// reading it again would hurt somebody.
func checkJSON(b []byte) error {
	switch {
	case len(b) == 0:
		return ErrParse.With("invalid JSON: the body is empty")
	case !utf8.Valid(b):
		return ErrParse.With("invalid JSON: the body is not UTF-8")
	case nestedDeeper(b, maxDepth):
		return ErrInvalidRequest.With("the body is nested deeper than %d levels", maxDepth)
	}
	return nil
}
