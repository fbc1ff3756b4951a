package server

import (
	"net/http"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// serveNotification answers a request without an id (JSON-RPC 2.0 §4.1): nobody
// would learn of the work, and none is begun. Who made a mistake is told of it: a
// bad one gets an error, whose id is null.
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

// The checks read what an operation is asked with and do nothing.

func (x *exchange) checkSend(in input) error {
	_, err := x.readMessage(in)
	return err
}

func (x *exchange) checkGet(in input) error {
	_, err := x.readGet(in)
	return err
}

func (x *exchange) checkListTasks(in input) error {
	_, err := x.readList(in)
	return err
}

func (x *exchange) checkCancel(in input) error {
	_, err := x.codec.DecodeCancel(in.raw, in.id)
	return err
}

func (x *exchange) checkSubscribe(in input) error {
	_, err := x.codec.DecodeSubscribe(in.raw, in.id)
	return err
}

func (x *exchange) checkCreatePush(in input) error {
	_, err := x.readPush(in)
	return err
}

func (x *exchange) checkGetPush(in input) error {
	_, err := x.readPushRef(in, x.codec.Version() == a2a.V10)
	return err
}

func (x *exchange) checkDeletePush(in input) error {
	_, err := x.readPushRef(in, true)
	return err
}

func (x *exchange) checkListPush(in input) error {
	_, err := x.readPushPage(in)
	return err
}

func (x *exchange) checkExtendedCard(in input) error {
	return x.codec.DecodeExtendedCard(in.raw)
}
