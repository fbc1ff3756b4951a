package a2a

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
	call, err := parseCall(body)
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
	x.codec = JSONRPC(m.version, x.s.bridge)
	if len(call.ID) == 0 {
		x.serveNotification(m.op, input{raw: call.Params})
		return
	}
	x.perform(m.op, input{raw: call.Params})
}

// unknownMethod says what is wrong: a version that is not spoken explains a
// method that is not known.
func (x *exchange) unknownMethod(name string) error {
	if err := x.negotiate(); err != nil {
		return err
	}
	return ErrMethodNotFound.With("there is no method %.100q", name)
}
