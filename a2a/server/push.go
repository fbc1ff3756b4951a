package server

import (
	"net/http"
	"net/url"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
)

// routePush finds the endpoint of a task's configs, or of one of them (§11.3.3).
// rest are the segments of the path behind the collection's.
func routePush(task string, rest []string) (endpoint, bool) {
	if len(rest) == 0 {
		return endpoint{allowGetPost, func(x *exchange) {
			op := opListPush
			if x.r.Method == http.MethodPost {
				op = opCreatePush
			}
			x.serveREST(op, input{id: task})
		}}, true
	}
	config, err := url.PathUnescape(rest[0])
	if err != nil || config == "" || len(rest) > 1 {
		return endpoint{}, false
	}
	return endpoint{"GET, DELETE", func(x *exchange) {
		op := opGetPush
		if x.r.Method == http.MethodDelete {
			op = opDeletePush
		}
		x.serveREST(op, input{id: task, config: config})
	}}, true
}

// requirePush refuses what the card says is off (§3.3.4).
func (x *exchange) requirePush() error {
	if !x.s.handler.Card().Push {
		return a2a.ErrPushNotSupported
	}
	return nil
}

// completePush checks a config and fills in what the request says of it.
func (x *exchange) completePush(c *a2a.PushConfig) error {
	if err := c.Check(); err != nil {
		return err
	}
	c.Version, c.TraceParent = x.params.Version, x.params.TraceParent
	return nil
}

// checkSendPush checks the config inside a send request, if there is one
// (§3.2.2).
func (x *exchange) checkSendPush(r *a2a.SendRequest) error {
	if r.Push == nil {
		return nil
	}
	if err := x.requirePush(); err != nil {
		return err
	}
	return x.completePush(r.Push)
}

// readPush decodes and checks a config to create.
func (x *exchange) readPush(in input) (*a2a.PushConfig, error) {
	if err := x.requirePush(); err != nil {
		return nil, err
	}
	c, err := x.codec.DecodePush(in.raw, in.id)
	if err != nil {
		return nil, err
	}
	return c, x.completePush(c)
}

func (x *exchange) createPush(in input) ([]byte, error) {
	c, err := x.readPush(in)
	if err != nil {
		return nil, err
	}
	made, err := x.s.handler.CreatePush(x.ctx, &a2a.CreatePushRequest{Params: x.params, Config: *c})
	if err != nil {
		return nil, err
	}
	return x.codec.EncodePush(made), nil
}

// errNoPushID is for requests that must say which config they mean.
var errNoPushID = a2a.ErrInvalidParams.With(`id is missing: send {"taskId":"<task id>","id":"<config id>"} (0.3: id and pushNotificationConfigId)`)

// readPushRef decodes which config is meant; named says that it must be told.
func (x *exchange) readPushRef(in input, named bool) (*a2a.PushRequest, error) {
	if err := x.requirePush(); err != nil {
		return nil, err
	}
	r, err := x.codec.DecodePushRef(in.raw, in.id, in.config)
	if err != nil {
		return nil, err
	}
	if r.ID == "" && named {
		return nil, errNoPushID
	}
	r.Params = x.params
	return r, nil
}

func (x *exchange) getPush(in input) ([]byte, error) {
	r, err := x.readPushRef(in, x.codec.Version() == a2a.V10)
	if err != nil {
		return nil, err
	}
	c, err := x.s.handler.GetPush(x.ctx, r)
	if err != nil {
		return nil, err
	}
	return x.codec.EncodePush(c), nil
}

func (x *exchange) deletePush(in input) ([]byte, error) {
	r, err := x.readPushRef(in, true)
	if err != nil {
		return nil, err
	}
	if err := x.s.handler.DeletePush(x.ctx, r); err != nil {
		return nil, err
	}
	return x.codec.EncodeNothing(), nil
}

// readPushPage decodes which part of a task's configs is asked for.
func (x *exchange) readPushPage(in input) (*codec.PushPage, error) {
	if err := x.requirePush(); err != nil {
		return nil, err
	}
	return x.codec.DecodePushList(in.raw, in.id)
}

func (x *exchange) listPush(in input) ([]byte, error) {
	page, err := x.readPushPage(in)
	if err != nil {
		return nil, err
	}
	all, err := x.s.handler.ListPush(x.ctx, &a2a.ListPushRequest{Params: x.params, TaskID: page.Task})
	if err != nil {
		return nil, err
	}
	some, next, err := page.Of(all)
	if err != nil {
		return nil, err
	}
	return x.codec.EncodePushList(some, next), nil
}
