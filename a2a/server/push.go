package server

import (
	"context"
	"net/http"
	"net/url"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
)

// routePush finds the endpoint of a task's configs, or of one of them (§11.3.3). rest holds
// the segments of the path after that of the collection.
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

// requirePush returns an error if the card says that push is off (§3.3.4).
func (x *exchange) requirePush() error {
	if !x.s.handler.Card().Push {
		return a2a.ErrPushNotSupported
	}
	return nil
}

// completePush checks a config and fills in its version and traceparent from the request.
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

// readCreatePush decodes and checks a config to create.
func (x *exchange) readCreatePush(in input) (*a2a.CreatePushRequest, error) {
	if err := x.requirePush(); err != nil {
		return nil, err
	}
	c, err := x.codec.DecodePush(in.params, in.id)
	if err != nil {
		return nil, err
	}
	if err := x.completePush(c); err != nil {
		return nil, err
	}
	return &a2a.CreatePushRequest{Params: x.params, Config: *c}, nil
}

// errNoPushID is for requests that must say which config they mean.
var errNoPushID = a2a.ErrInvalidParams.With(`id is missing: send {"taskId":"<task id>","id":"<config id>"} (0.3: id and pushNotificationConfigId)`)

// readPushRef decodes which config is meant. If named is set, the request must name it.
func (x *exchange) readPushRef(in input, named bool) (*a2a.PushRequest, error) {
	if err := x.requirePush(); err != nil {
		return nil, err
	}
	r, err := x.codec.DecodePushRef(in.params, in.id, in.config)
	if err != nil {
		return nil, err
	}
	if r.ID == "" && named {
		return nil, errNoPushID
	}
	r.Params = x.params
	return r, nil
}

// readGetPush decodes which config is requested. 0.3 may leave its id out.
func (x *exchange) readGetPush(in input) (*a2a.PushRequest, error) {
	return x.readPushRef(in, x.codec.Version() == a2a.V10)
}

// readDeletePush decodes which config is to be deleted.
func (x *exchange) readDeletePush(in input) (*a2a.PushRequest, error) {
	return x.readPushRef(in, true)
}

func deletePush(h Handler, ctx context.Context, r *a2a.PushRequest) (struct{}, error) {
	return struct{}{}, h.DeletePush(ctx, r)
}

func encodeNothing(d codec.Dialect, _ struct{}) []byte { return d.EncodeNothing() }

// listRequest is a request for a page of a task's configs.
type listRequest struct {
	a2a.ListPushRequest
	page *codec.PushPage
}

// pushPage is a page of configs, and the token of the next one.
type pushPage struct {
	configs []a2a.PushConfig
	next    string
}

// readListPush decodes which part of a task's configs is asked for.
func (x *exchange) readListPush(in input) (*listRequest, error) {
	if err := x.requirePush(); err != nil {
		return nil, err
	}
	page, err := x.codec.DecodePushList(in.params, in.id)
	if err != nil {
		return nil, err
	}
	return &listRequest{a2a.ListPushRequest{Params: x.params, TaskID: page.Task}, page}, nil
}

func listPush(h Handler, ctx context.Context, r *listRequest) (p pushPage, err error) {
	all, err := h.ListPush(ctx, &r.ListPushRequest)
	if err == nil {
		p.configs, p.next, err = r.page.Of(all)
	}
	return p, err
}

func encodePushPage(d codec.Dialect, p pushPage) []byte { return d.EncodePushList(p.configs, p.next) }
