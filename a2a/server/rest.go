package server

import (
	"mime"
	"net/http"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
)

// restEndpoint is an operation behind a REST path whose task is id.
func restEndpoint(allow string, op operation, id string) endpoint {
	return endpoint{allow, func(x *exchange) { x.serveREST(op, input{id: id}) }}
}

// serveREST reads the request from the body or the query, depending on the method (§11.3,
// §11.5), and runs the operation. A body that does not belong there is read and ignored.
func (x *exchange) serveREST(op operation, in input) {
	x.seen.name, x.seen.binding = op.name, BindingREST
	body, err := x.restBody()
	if err == nil && x.r.URL.RawQuery != "" {
		err = codec.CheckTenant(x.r.URL.Query().Get("tenant"))
	}
	switch {
	case err != nil:
	case x.r.Method == http.MethodPost:
		in.params, err = codec.ReadParams(body)
	case op.query:
		in.params = codec.QueryParams(x.r.URL.Query())
	}
	if err != nil {
		x.fail(err)
		return
	}
	x.perform(op, in)
}

// restBody reads a body; without one the Content-Type does not matter.
func (x *exchange) restBody() ([]byte, error) {
	if x.r.ContentLength == 0 {
		return nil, nil
	}
	if t := x.r.Header.Get("Content-Type"); !isJSON(t) {
		return nil, a2a.ErrContentType.With("Content-Type %.100q is not supported, send application/json or application/a2a+json", t)
	}
	return x.readBody()
}

// isJSON reports whether a Content-Type is JSON: application/json or any type with the
// +json suffix, in UTF-8 if it names a charset.
func isJSON(contentType string) bool {
	if contentType == a2a.TypeJSON || contentType == a2a.TypeA2A {
		return true
	}
	t, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	if c := params["charset"]; c != "" && !strings.EqualFold(c, "utf-8") {
		return false
	}
	return t == a2a.TypeJSON || strings.HasPrefix(t, "application/") && strings.HasSuffix(t, "+json")
}
