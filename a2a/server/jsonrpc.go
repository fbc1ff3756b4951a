package server

import (
	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
)

// rpcMethod is a JSON-RPC method. Its name decides the dialect (§5.3).
type rpcMethod struct {
	version a2a.Version
	op      operation
}

var rpcMethods = map[string]rpcMethod{
	"SendMessage":                      {a2a.V10, opSend},
	"SendStreamingMessage":             {a2a.V10, opStream},
	"GetTask":                          {a2a.V10, opGet},
	"ListTasks":                        {a2a.V10, opList},
	"CancelTask":                       {a2a.V10, opCancel},
	"SubscribeToTask":                  {a2a.V10, opSubscribe},
	"CreateTaskPushNotificationConfig": {a2a.V10, opCreatePush},
	"GetTaskPushNotificationConfig":    {a2a.V10, opGetPush},
	"ListTaskPushNotificationConfigs":  {a2a.V10, opListPush},
	"DeleteTaskPushNotificationConfig": {a2a.V10, opDeletePush},
	"GetExtendedAgentCard":             {a2a.V10, opExtendedCard},

	"message/send":                        {a2a.V03, opSend},
	"message/stream":                      {a2a.V03, opStream},
	"tasks/get":                           {a2a.V03, opGet},
	"tasks/list":                          {a2a.V03, opList},
	"tasks/cancel":                        {a2a.V03, opCancel},
	"tasks/resubscribe":                   {a2a.V03, opSubscribe},
	"tasks/pushNotificationConfig/set":    {a2a.V03, opCreatePush},
	"tasks/pushNotificationConfig/get":    {a2a.V03, opGetPush},
	"tasks/pushNotificationConfig/list":   {a2a.V03, opListPush},
	"tasks/pushNotificationConfig/delete": {a2a.V03, opDeletePush},
	"agent/getAuthenticatedExtendedCard":  {a2a.V03, opExtendedCard},
}

// serveRPC answers POST / and POST /a2a.
func (x *exchange) serveRPC() {
	if !isJSON(x.r.Header.Get("Content-Type")) {
		x.fail(a2a.ErrContentType.With("Content-Type %.100q is not supported, send application/json", x.r.Header.Get("Content-Type")))
		return
	}
	body, err := x.readBody()
	if err != nil {
		x.fail(err)
		return
	}
	call, err := codec.ParseCall(body)
	x.id = call.ID
	if err != nil {
		x.fail(err)
		return
	}
	m, ok := rpcMethods[call.Method]
	if !ok {
		x.fail(x.unknownMethod(call.Method))
		return
	}
	x.codec = codec.JSONRPC(m.version, x.s.bridge)
	if len(call.ID) == 0 {
		x.serveNotification(m.op, input{params: call.Params})
		return
	}
	x.perform(m.op, input{params: call.Params})
}

// unknownMethod returns the error for an unknown method. If the request names a version
// that is not supported, it returns the error for that.
func (x *exchange) unknownMethod(name string) error {
	if err := x.negotiate(); err != nil {
		return err
	}
	return a2a.ErrMethodNotFound.With("there is no method %.100q", name)
}
