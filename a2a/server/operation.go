package server

import (
	"context"
	"net/http"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
)

// operation is one of the protocol's operations (§3.1), however it was requested. Exactly
// one of unary and stream is set.
type operation struct {
	// name is the name of the method in 1.0.
	name string
	// message reports whether the request carries a message, which may activate
	// extensions.
	message bool
	// query reports whether REST requests it with a GET, whose query has the same members
	// as the params of JSON-RPC.
	query bool
	// unary returns the encoded result.
	unary func(*exchange, input) ([]byte, error)
	// stream opens a stream of events.
	stream func(*exchange, context.Context, input) (a2a.Stream, error)
	// check reads the request and does nothing else.
	check func(*exchange, input) error
}

// input holds the parameters of an operation, and the ids in the path of REST.
type input struct {
	params codec.Params
	id     string
	config string // the id of a push config in the path of REST
}

var (
	opSend         = ofMessage(unary("SendMessage", (*exchange).readMessage, Handler.SendMessage, codec.Dialect.EncodeSend))
	opStream       = ofMessage(streaming("SendStreamingMessage", (*exchange).readMessage, streamMessage))
	opGet          = byQuery(unary("GetTask", (*exchange).readGet, Handler.GetTask, codec.Dialect.EncodeTask))
	opList         = byQuery(unary("ListTasks", (*exchange).readList, Handler.ListTasks, codec.Dialect.EncodeList))
	opCancel       = unary("CancelTask", (*exchange).readCancel, Handler.CancelTask, codec.Dialect.EncodeTask)
	opSubscribe    = streaming("SubscribeToTask", (*exchange).readSubscribe, Handler.SubscribeTask)
	opCreatePush   = unary("CreateTaskPushNotificationConfig", (*exchange).readCreatePush, Handler.CreatePush, codec.Dialect.EncodePush)
	opGetPush      = unary("GetTaskPushNotificationConfig", (*exchange).readGetPush, Handler.GetPush, codec.Dialect.EncodePush)
	opListPush     = byQuery(unary("ListTaskPushNotificationConfigs", (*exchange).readListPush, listPush, encodePushPage))
	opDeletePush   = unary("DeleteTaskPushNotificationConfig", (*exchange).readDeletePush, deletePush, encodeNothing)
	opExtendedCard = operation{name: "GetExtendedAgentCard", unary: (*exchange).extendedCard, check: (*exchange).checkExtendedCard}
)

// unary returns an operation of three steps: read the request, let the handler do it,
// encode the result.
func unary[R, T any](name string, read func(*exchange, input) (R, error),
	do func(Handler, context.Context, R) (T, error), encode func(codec.Dialect, T) []byte) operation {
	return operation{name: name, check: checks(read), unary: func(x *exchange, in input) ([]byte, error) {
		r, err := read(x, in)
		if err == nil {
			err = x.beginIfNew()
		}
		if err != nil {
			return nil, err
		}
		result, err := do(x.s.handler, x.ctx, r)
		if err != nil {
			return nil, err
		}
		return encode(x.codec, result), nil
	}}
}

// streaming returns an operation of two steps: read the request, let the handler open
// the stream.
func streaming[R any](name string, read func(*exchange, input) (R, error),
	open func(Handler, context.Context, R) (a2a.Stream, error)) operation {
	return operation{name: name, check: checks(read), stream: func(x *exchange, ctx context.Context, in input) (a2a.Stream, error) {
		r, err := read(x, in)
		if err == nil {
			err = x.beginIfNew()
		}
		if err != nil {
			return nil, err
		}
		return open(x.s.handler, ctx, r)
	}}
}

func checks[R any](read func(*exchange, input) (R, error)) func(*exchange, input) error {
	return func(x *exchange, in input) error {
		_, err := read(x, in)
		return err
	}
}

func ofMessage(op operation) operation { op.message = true; return op }

func byQuery(op operation) operation { op.query = true; return op }

// perform runs an operation and answers the request.
func (x *exchange) perform(op operation, in input) {
	x.flow, x.seen.name = op.stream != nil, op.name
	if err := x.prepare(op); err != nil {
		x.fail(err)
		return
	}
	client := x.attend(op.stream != nil)
	defer client.leave()
	if op.stream != nil {
		x.serveStream(op, in)
		return
	}
	body, err := op.unary(x, in)
	client.stopWatching()
	if err == nil {
		err = x.revoked()
	}
	if err != nil {
		x.fail(err)
		return
	}
	x.result(body)
}

// prepare reads the service parameters and refuses an operation that the card says is off
// (§3.3.4).
func (x *exchange) prepare(op operation) error {
	if err := x.negotiate(); err != nil {
		return err
	}
	if op.stream != nil && !x.s.handler.Card().Streaming {
		return a2a.ErrUnsupportedOperation.With("streams are off: capabilities.streaming is false")
	}
	if op.message {
		return nil // the message may name an extension too
	}
	return x.requireExtensions()
}

// serveNotification answers a request without an id (JSON-RPC 2.0 §4.1): nobody would learn
// of the work, so none is begun. A bad notification gets an error, whose id is null.
func (x *exchange) serveNotification(op operation, in input) {
	x.seen.name = op.name
	err := x.prepare(op)
	if err == nil {
		err = op.check(x, in)
	}
	if err != nil {
		x.fail(err)
		return
	}
	x.start(http.StatusNoContent)
}
