package server

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Mount is a path that the program adds to A2A's own paths. The same rules apply to it
// before Serve is called: the checks of Host and origin, the length of the URL,
// authentication, the limits of the caller, and the common headers. Around Serve,
// observation and the handling of stalled readers and panics apply too.
type Mount struct {
	// Methods are the methods that it accepts, in the form of the Allow header: "GET,
	// HEAD".
	Methods string
	// Name is the name that an Observer gets.
	Name string
	// Body reports whether Serve reads the request's body. It is then read before Serve is
	// called, with the limits of every body.
	Body bool
	// Stream reports whether its answer is a stream: then it counts as a stream of the
	// caller, not as a request, and the request's context ends with EndStreams.
	Stream bool
	// Streams reports whether the answer to one request is a stream, for a path that has both
	// kinds. nil: as Stream says.
	Streams func(r *http.Request) bool
	// Serve answers the request. An error that it returns before it has written anything is
	// sent as a REST error; an error after that cuts the connection. An
	// http.ResponseController can flush w and, for a stream, hijack it; the request's body
	// is read only with Body. If the answer takes long, Serve must call id.Valid from time to
	// time.
	Serve func(w http.ResponseWriter, r *http.Request, id Identity) error
}

// mounted returns the mount of a path: its own, or the longest one that ends in a slash
// and begins the path.
func mounted(mounts map[string]Mount, path string) (Mount, bool) {
	if m, ok := mounts[path]; ok {
		return m, true
	}
	for end := strings.LastIndexByte(path, '/'); end > 0; end = strings.LastIndexByte(path[:end], '/') {
		if m, ok := mounts[path[:end+1]]; ok {
			return m, true
		}
	}
	return Mount{}, false
}

// endpoint returns the endpoint of the mount.
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
	if m.Body && r.Method != http.MethodGet && r.Method != http.MethodHead {
		body, err := x.readBody()
		if err != nil {
			x.fail(err)
			return
		}
		r = r.WithContext(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	if m.streams(r) {
		if err := x.becomeStream(); err != nil {
			x.fail(err)
			return
		}
		ctx, cancel := context.WithCancelCause(r.Context())
		defer cancel(nil)
		defer context.AfterFunc(x.s.stopping, func() { cancel(a2a.ErrUnavailable) })()
		r = r.WithContext(ctx)
	}
	r = r.WithContext(context.WithValue(r.Context(), workKey{}, x.beginWork))
	err := m.Serve(&mountWriter{x}, r, x.identity)
	switch {
	case err == nil && x.started:
	case err == nil:
		x.start(http.StatusOK) // as net/http does it
	case !x.started:
		x.fail(err)
	default:
		x.fault(err)                // it is logged
		panic(http.ErrAbortHandler) // the client must not take half an answer for a whole one
	}
}

func (m *Mount) streams(r *http.Request) bool {
	if m.Streams != nil {
		return m.Streams(r)
	}
	return m.Stream
}

// workKey is what the check of a mount's request is known by in its context.
type workKey struct{}

// BeginWork checks whether the caller of a mount's request may begin new work now, as a message or
// the call of a tool is: ErrBusy says when it may. ctx is the request's context, or one with its
// values. It may be called from any goroutine.
func BeginWork(ctx context.Context) error {
	if begin, ok := ctx.Value(workKey{}).(func() error); ok {
		return begin()
	}
	return nil
}

// mountWriter writes an answer under the limits of the exchange.
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
