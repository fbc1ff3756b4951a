package server

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// operation is one of the protocol's (§3.1), however it was asked for. Exactly
// one of unary and stream is set.
type operation struct {
	// unary returns the encoded result.
	unary func(*exchange, input) ([]byte, error)
	// stream opens a stream of events.
	stream func(*exchange, context.Context, input) (a2a.Stream, error)
	// check refuses what it cannot be asked with, and does nothing.
	check func(*exchange, input) error
	// name is the method's in 1.0.
	name string
	// message says that the request carries a message, which may activate
	// extensions.
	message bool
	// query says that REST asks for it with a GET, whose query has the members that
	// the params of JSON-RPC have.
	query bool
}

// input is what an operation is asked with: params of JSON-RPC, or the body or the
// query of REST as an object like them, and the ids in its path.
type input struct {
	raw    json.RawMessage
	id     string
	config string // of a push config, in the path of REST
}

var (
	opSend         = operation{name: "SendMessage", unary: (*exchange).sendMessage, message: true, check: (*exchange).checkSend}
	opStream       = operation{name: "SendStreamingMessage", stream: (*exchange).streamMessage, message: true, check: (*exchange).checkSend}
	opGet          = operation{name: "GetTask", unary: (*exchange).getTask, check: (*exchange).checkGet, query: true}
	opList         = operation{name: "ListTasks", unary: (*exchange).listTasks, check: (*exchange).checkListTasks, query: true}
	opCancel       = operation{name: "CancelTask", unary: (*exchange).cancelTask, check: (*exchange).checkCancel}
	opSubscribe    = operation{name: "SubscribeToTask", stream: (*exchange).subscribe, check: (*exchange).checkSubscribe}
	opCreatePush   = operation{name: "CreateTaskPushNotificationConfig", unary: (*exchange).createPush, check: (*exchange).checkCreatePush}
	opGetPush      = operation{name: "GetTaskPushNotificationConfig", unary: (*exchange).getPush, check: (*exchange).checkGetPush}
	opListPush     = operation{name: "ListTaskPushNotificationConfigs", unary: (*exchange).listPush, check: (*exchange).checkListPush, query: true}
	opDeletePush   = operation{name: "DeleteTaskPushNotificationConfig", unary: (*exchange).deletePush, check: (*exchange).checkDeletePush}
	opExtendedCard = operation{name: "GetExtendedAgentCard", unary: (*exchange).extendedCard, check: (*exchange).checkExtendedCard}
)

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
	client.settle()
	if err == nil {
		err = x.revoked()
	}
	if err != nil {
		x.fail(err)
		return
	}
	x.result(body)
}

// prepare reads the service parameters and holds the operation against what the
// card says is on (§3.3.4).
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

// readMessage decodes and checks a send request.
func (x *exchange) readMessage(in input) (*a2a.SendRequest, error) {
	req, err := x.codec.DecodeSend(in.raw)
	if err != nil {
		return nil, err
	}
	if err := checkMessage(&req.Message); err != nil {
		return nil, err
	}
	if err := x.codec.Require(&req.Message); err != nil {
		return nil, err
	}
	if err := checkMedia(req.Message.Parts, x.s.handler.Card()); err != nil {
		return nil, err
	}
	if err := checkHistory(req.HistoryLength, "configuration.historyLength"); err != nil {
		return nil, err
	}
	x.activateFor(&req.Message)
	if err := x.requireExtensions(); err != nil {
		return nil, err
	}
	req.Params = x.params
	return req, x.checkSendPush(req)
}

// message is readMessage for one that is going to be sent.
func (x *exchange) message(in input) (*a2a.SendRequest, error) {
	req, err := x.readMessage(in)
	if err != nil || req.Message.TaskID != "" {
		return req, err
	}
	return req, x.beginWork()
}

func (x *exchange) sendMessage(in input) ([]byte, error) {
	req, err := x.message(in)
	if err != nil {
		return nil, err
	}
	res, err := x.s.handler.SendMessage(x.ctx, req)
	if err != nil {
		return nil, err
	}
	return x.codec.EncodeSend(res), nil
}

func (x *exchange) streamMessage(ctx context.Context, in input) (a2a.Stream, error) {
	req, err := x.message(in)
	if err != nil {
		return nil, err
	}
	st, err := x.s.handler.StreamMessage(ctx, req)
	if err != nil || req.HistoryLength == nil {
		return st, err
	}
	return &shortStream{st, *req.HistoryLength}, nil
}

// shortStream is a stream whose Task has no more than so many messages of its
// history.
type shortStream struct {
	a2a.Stream
	history int
}

// Next implements Stream.
func (s *shortStream) Next(ctx context.Context) ([]*a2a.Event, error) {
	events, err := s.Stream.Next(ctx)
	for i, e := range events {
		if e.Task == nil || len(e.Task.History) <= s.history {
			continue
		}
		short := *e.Task
		short.KeepHistory(s.history)
		events = slices.Clone(events)
		events[i] = &a2a.Event{ID: e.ID, Task: &short}
	}
	return events, err
}

func (x *exchange) getTask(in input) ([]byte, error) {
	req, err := x.readGet(in)
	if err != nil {
		return nil, err
	}
	t, err := x.s.handler.GetTask(x.ctx, req)
	if err != nil {
		return nil, err
	}
	return x.codec.EncodeTask(t), nil
}

// readGet decodes and checks a request for a task.
func (x *exchange) readGet(in input) (*a2a.GetRequest, error) {
	req, err := x.codec.DecodeGet(in.raw, in.id)
	if err == nil {
		err = checkHistory(req.HistoryLength, "historyLength")
	}
	if err != nil {
		return nil, err
	}
	req.Params = x.params
	return req, nil
}

func (x *exchange) listTasks(in input) ([]byte, error) {
	req, err := x.readList(in)
	if err != nil {
		return nil, err
	}
	l, err := x.s.handler.ListTasks(x.ctx, req)
	if err != nil {
		return nil, err
	}
	return x.codec.EncodeList(l), nil
}

// readList decodes and checks a request for a page of tasks.
func (x *exchange) readList(in input) (*a2a.ListRequest, error) {
	req, err := x.codec.DecodeList(in.raw)
	if err == nil {
		err = checkList(req)
	}
	if err != nil {
		return nil, err
	}
	req.Params = x.params
	return req, nil
}

func (x *exchange) cancelTask(in input) ([]byte, error) {
	req, err := x.codec.DecodeCancel(in.raw, in.id)
	if err != nil {
		return nil, err
	}
	req.Params = x.params
	t, err := x.s.handler.CancelTask(x.ctx, req)
	if err != nil {
		return nil, err
	}
	return x.codec.EncodeTask(t), nil
}

func (x *exchange) subscribe(ctx context.Context, in input) (a2a.Stream, error) {
	req, err := x.codec.DecodeSubscribe(in.raw, in.id)
	if err != nil {
		return nil, err
	}
	req.Params = x.params
	req.After = a2a.ParseEventID(x.r.Header.Values(a2a.HeaderLastEventID)...)
	x.after = req.After
	return x.s.handler.SubscribeTask(ctx, req)
}
