package server

import (
	"cmp"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// The functions of this file decode a request, check it and add the service
// parameters. They do nothing else: a JSON-RPC notification is only read.

// readMessage decodes and checks a send request. A message without a task asks for new
// work.
func (x *exchange) readMessage(in input) (*a2a.SendRequest, error) {
	req, err := x.codec.DecodeSend(in.params)
	if err != nil {
		return nil, err
	}
	m := &req.Message
	if err := cmp.Or(
		checkMessage(m),
		x.codec.Require(m),
		checkMedia(m.Parts, x.s.handler.Card()),
		checkHistory(req.HistoryLength, "configuration.historyLength"),
	); err != nil {
		return nil, err
	}
	x.activateFor(m)
	if err := x.requireExtensions(); err != nil {
		return nil, err
	}
	req.Params, x.asksWork = x.params, m.TaskID == ""
	return req, x.checkSendPush(req)
}

// readGet decodes and checks a request for a task.
func (x *exchange) readGet(in input) (*a2a.GetRequest, error) {
	req, err := x.codec.DecodeGet(in.params, in.id)
	if err == nil {
		err = checkHistory(req.HistoryLength, "historyLength")
	}
	if err != nil {
		return nil, err
	}
	req.Params = x.params
	return req, nil
}

// readList decodes and checks a request for a page of tasks.
func (x *exchange) readList(in input) (*a2a.ListRequest, error) {
	req, err := x.codec.DecodeList(in.params)
	if err == nil {
		err = checkList(req)
	}
	if err != nil {
		return nil, err
	}
	req.Params = x.params
	return req, nil
}

// readCancel decodes a request to cancel a task.
func (x *exchange) readCancel(in input) (*a2a.CancelRequest, error) {
	req, err := x.codec.DecodeCancel(in.params, in.id)
	if err != nil {
		return nil, err
	}
	req.Params = x.params
	return req, nil
}

// readSubscribe decodes a request for a task's stream, and where it goes on from.
func (x *exchange) readSubscribe(in input) (*a2a.SubscribeRequest, error) {
	req, err := x.codec.DecodeSubscribe(in.params, in.id)
	if err != nil {
		return nil, err
	}
	req.Params = x.params
	req.After = a2a.ParseEventID(x.r.Header.Values(a2a.HeaderLastEventID)...)
	x.after = req.After
	return req, nil
}

// checkExtendedCard reads a request for the extended card, which says nothing more.
func (x *exchange) checkExtendedCard(in input) error {
	return x.codec.DecodeExtendedCard(in.params)
}
