package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
)

// exchange is one request and its answer. It belongs to one goroutine.
type exchange struct {
	s *Server
	w http.ResponseWriter
	r *http.Request
	// ctx is the context of the work for the request. It ends when the client is gone.
	ctx context.Context

	// These say how to answer. The route sets them, and the JSON-RPC method refines them.
	codec codec.Dialect
	rpc   bool            // JSON-RPC: answers and errors are wrapped
	id    json.RawMessage // the id of the JSON-RPC request; nil until it is known
	// flow reports whether the answer is a stream. Over JSON-RPC its errors are then
	// events.
	flow bool
	// after is the ID of the event after which a stream continues, 0 for its beginning.
	after uint64
	// asksWork reports whether the request asks for new work, once it has been read.
	asksWork bool

	identity Identity
	share    share

	params  a2a.Params
	stall   stallGuard
	body    bodyState
	started bool // the header has been sent
	seen    observed
}

const (
	// pieceSize is how many bytes of a long body are written before the stall limit is
	// renewed.
	pieceSize = 256 << 10

	rpcPrefix = `{"jsonrpc":"2.0","id":`
	rpcResult = `,"result":`
	rpcError  = `,"error":`
)

// result answers with an encoded result.
func (x *exchange) result(body []byte) {
	if x.rpc {
		x.writeRPC(http.StatusOK, rpcResult, body)
		return
	}
	if x.codec.Version() == a2a.V10 {
		x.write(http.StatusOK, a2a.TypeA2A, body)
		return
	}
	x.write(http.StatusOK, a2a.TypeJSON, body)
}

// writeRPC answers with a JSON-RPC response around body.
func (x *exchange) writeRPC(status int, member string, body []byte) {
	x.write(status, a2a.TypeJSON, []byte(rpcPrefix), x.rpcID(), []byte(member), body, []byte("}"))
}

// rpcID returns the id to answer with. It is null as long as no id is known (JSON-RPC 2.0
// §5).
func (x *exchange) rpcID() json.RawMessage {
	if len(x.id) == 0 {
		return json.RawMessage("null")
	}
	return x.id
}

// fail answers with err in the dialect and binding of the request. The text of an error
// that is not an *Error is only logged.
func (x *exchange) fail(err error) {
	e := x.fault(err)
	x.noteFailure(err, e)
	if e.RetryAfter > 0 {
		x.w.Header().Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
	if e.HTTP == http.StatusUnauthorized {
		x.challenge()
	}
	switch {
	case !x.rpc: // clients do not read errors of any other type (Go client 2.4.0)
		x.write(e.HTTP, a2a.TypeJSON, x.codec.EncodeRESTError(e))
	case x.flow && !x.keepsStatus(e):
		x.failStream(e)
	default:
		x.writeRPC(x.rpcStatus(e), rpcError, x.codec.ErrorObject(e))
	}
}

// fault maps err to the error that the client may see.
func (x *exchange) fault(err error) *a2a.Error {
	var known *a2a.Error
	switch {
	case errors.As(err, &known), x.ctx.Err() != nil:
	case x.s.stopping.Err() != nil && errors.Is(err, context.Canceled):
		return a2a.ErrUnavailable
	default:
		x.s.log.Error("request failed", "method", x.r.Method, "path", x.r.URL.Path, "err", err)
	}
	if known != nil {
		return known
	}
	return a2a.ErrInternal
}

// keepsStatus reports whether a JSON-RPC error goes out under its own HTTP status: it does
// if the status tells intermediaries (a proxy, a load balancer) something that they cannot
// read in the body. Clients of 0.3 read the error of a stream only from an event.
func (x *exchange) keepsStatus(e *a2a.Error) bool {
	switch {
	case e.HTTP == http.StatusUnauthorized:
		return true
	case x.flow && x.codec.Version() == a2a.V03:
		return false
	}
	return e.RetryAfter > 0 || e.Code == a2a.ErrInvalidRequest.Code && e.HTTP != http.StatusBadRequest
}

// rpcStatus returns the HTTP status of a JSON-RPC error. It is mostly 200, since clients do
// not read errors from any other status.
func (x *exchange) rpcStatus(e *a2a.Error) int {
	if x.keepsStatus(e) {
		return e.HTTP
	}
	return http.StatusOK
}

// write sends a whole response whose body is the parts in order. A client that
// does not read it is cut off.
func (x *exchange) write(status int, contentType string, parts ...[]byte) {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	x.skipBody()
	x.release()
	h := x.w.Header()
	v := []string{contentType, strconv.Itoa(n)} // one allocation for both
	h["Content-Type"], h["Content-Length"] = v[0:1:1], v[1:2:2]
	x.start(status)
	if x.r.Method == http.MethodHead {
		return
	}
	for _, p := range parts {
		if x.writePart(p) != nil {
			return // the client is gone, or has stalled
		}
	}
}

// writePart writes p in pieces. The stall limit holds for each piece.
func (x *exchange) writePart(p []byte) error {
	for len(p) > pieceSize {
		n, err := x.w.Write(p[:pieceSize])
		x.sent(n)
		if err != nil {
			return err
		}
		p = p[pieceSize:]
		x.stall.arm()
	}
	n, err := x.w.Write(p)
	x.sent(n)
	return err
}

// start sends the header.
func (x *exchange) start(status int) {
	x.started = true
	x.skipBody() // the request is counted until this is done
	if x.share.streams == 0 {
		x.release()
	}
	x.noteStatus(status)
	x.stall.arm()
	x.w.WriteHeader(status)
}

// stallGuard limits how long a write may wait for its reader.
type stallGuard struct {
	rc    http.ResponseController
	limit time.Duration
	armed time.Time
}

// arm gives the next write at least three quarters of the limit. Setting a deadline costs a
// timer, so it is done at most once per quarter of the limit.
func (g *stallGuard) arm() {
	now := time.Now()
	if now.Sub(g.armed) < g.limit/4 {
		return
	}
	g.armed = now
	// The error is that of a writer without deadlines, as in tests.
	_ = g.rc.SetWriteDeadline(now.Add(g.limit))
}
