package server

import (
	"context"
	"net/http"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Mount is a path of the program around the server, beside A2A's own. All that
// holds for those holds for it before Serve is called: the checks of Host and
// origin, the length of the URL, authentication, the limits of the caller, the
// common headers; and around it: observation, stalled readers, panics.
type Mount struct {
	// Methods are those that it takes, as the Allow header has them: "GET, HEAD".
	Methods string
	// Name is what an Observer knows it by.
	Name string
	// Stream reports whether its answer lasts: it counts as a stream of the caller, not
	// as a request, and the request's context ends with EndStreams.
	Stream bool
	// Serve answers. An error that it returns before it has written anything is
	// the answer, in the shape of REST's; one after that cuts the connection.
	// w can be flushed and, for a stream, hijacked by an http.ResponseController;
	// the request's body is not read. Whoever answers for long asks id.Valid from
	// time to time.
	Serve func(w http.ResponseWriter, r *http.Request, id Identity) error
}

// endpoint leads to the mount.
func (m *Mount) endpoint() endpoint {
	return endpoint{allow: m.Methods, serve: func(x *exchange) { x.serveMount(m) }}
}

// serveMount answers for a mounted path.
func (x *exchange) serveMount(m *Mount) {
	x.seen.name = m.Name
	if err := x.revoked(); err != nil {
		x.fail(err)
		return
	}
	r := x.r
	if m.Stream {
		if err := x.becomeStream(); err != nil {
			x.fail(err)
			return
		}
		ctx, cancel := context.WithCancelCause(r.Context())
		defer cancel(nil)
		defer context.AfterFunc(x.s.stopping, func() { cancel(a2a.ErrUnavailable) })()
		r = r.WithContext(ctx)
	}
	err := m.Serve(&mountWriter{x}, r, x.identity)
	switch {
	case err == nil && x.started:
	case err == nil:
		x.start(http.StatusOK) // as net/http does it
	case !x.started:
		x.fail(err)
	default:
		x.fault(err)                // the log is told
		panic(http.ErrAbortHandler) // the client must not take half an answer for a whole one
	}
}

// mountWriter passes an answer on under the limits of the exchange.
type mountWriter struct{ x *exchange }

func (w *mountWriter) Header() http.Header { return w.x.w.Header() }

func (w *mountWriter) WriteHeader(status int) { w.x.start(status) }

func (w *mountWriter) Write(p []byte) (int, error) {
	if !w.x.started {
		w.x.start(http.StatusOK)
	}
	w.x.stall.arm()
	if err := w.x.writePart(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Unwrap is for http.ResponseController.
func (w *mountWriter) Unwrap() http.ResponseWriter { return w.x.w }
