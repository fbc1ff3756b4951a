package terminal

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// Options configure New. Views is required.
type Options struct {
	// Views returns the terminals that a caller may look at, and how many others
	// there are. The error says why there is none now.
	Views func(ctx context.Context, caller string) (mine []*turn.View, others int, err error)
	// Off says why nobody may look; "" means that callers may.
	Off string
	// Keys returns an error if the caller of a request may not type; nil means that
	// a caller who may look may also type.
	Keys func(ctx context.Context) error
	// PublicHost is the host[:port] of the public address; web pages of that host
	// may connect. "" means no such host.
	PublicHost string
	// Heartbeat is the longest silence on a stream; 0 means the server's default.
	Heartbeat time.Duration
	// Stall is how long a WebSocket may take nothing, or leave a ping unanswered. It
	// must be set. Streams have the server's limit.
	Stall time.Duration
	// Log is told who may type; nil means no log.
	Log *slog.Logger
}

// Handlers serve the three paths. They are safe for concurrent use.
type Handlers struct {
	o Options

	open    context.Context // ends at Close
	stop    context.CancelFunc
	mu      sync.Mutex
	running sync.WaitGroup // counts the running requests; added to under mu, before Close
}

// New returns handlers. It starts nothing.
func New(o Options) *Handlers {
	o.Heartbeat = cmp.Or(o.Heartbeat, server.DefaultHeartbeat)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	h := &Handlers{o: o}
	// open is the handlers' own lifetime; no request bounds it.
	h.open, h.stop = context.WithCancel(context.Background())
	return h
}

// Mounts returns the paths, for server.Options.
func (h *Handlers) Mounts() map[string]server.Mount {
	return map[string]server.Mount{
		"/terminal":        {Methods: "GET, HEAD", Name: "Terminal", Serve: h.guarded(h.snapshot)},
		"/terminal/stream": {Methods: "GET", Name: "TerminalStream", Stream: true, Serve: h.guarded(h.stream)},
		"/terminal/attach": {Methods: "GET", Name: "TerminalAttach", Stream: true, Serve: h.guarded(h.attach)},
	}
}

// Close ends all streams and connections, and returns when they have ended. It may
// be called more than once.
func (h *Handlers) Close() {
	h.mu.Lock()
	h.stop()
	h.mu.Unlock()
	h.running.Wait()
}

// serveFunc answers a request about a terminal.
type serveFunc func(w http.ResponseWriter, r *http.Request, id server.Identity, v *turn.View) error

// guarded checks that the caller may look, finds the terminal that the request
// means, and makes the answer end at Close.
func (h *Handlers) guarded(serve serveFunc) func(http.ResponseWriter, *http.Request, server.Identity) error {
	return func(w http.ResponseWriter, r *http.Request, id server.Identity) error {
		if h.o.Off != "" {
			return forbidden("%s", h.o.Off)
		}
		v, err := h.find(r, id.Caller)
		if err != nil {
			return err
		}
		leave, err := h.enter()
		if err != nil {
			return err
		}
		defer leave()
		ctx, cancel := context.WithCancelCause(r.Context())
		defer cancel(nil)
		defer context.AfterFunc(h.open, func() { cancel(a2a.ErrUnavailable) })()
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		return serve(w, r.WithContext(ctx), id, v)
	}
}

// enter makes Close wait until leave is called.
func (h *Handlers) enter() (leave func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open.Err() != nil {
		return nil, a2a.ErrUnavailable.With("the sidecar is shutting down")
	}
	h.running.Add(1)
	return h.running.Done, nil
}

// find returns the terminal that a request means.
func (h *Handlers) find(r *http.Request, caller string) (*turn.View, error) {
	all, others, err := h.o.Views(r.Context(), caller)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	session, contextID := q.Get("session"), q.Get("context")
	var found []*turn.View
	for _, v := range all {
		if (session == "" || session == v.Session) && (contextID == "" || contextID == v.Context) {
			found = append(found, v)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, a2a.ErrInvalidParams.With("there are several sessions, say which: %s", list(found))
	case len(all) > 0:
		return nil, notFound("there is no such session, but %s", list(all))
	case others > 0:
		return nil, forbidden("the agent's session belongs to another caller")
	}
	return nil, a2a.ErrUnavailable.With("no agent runs in a terminal now")
}

// list names sessions in the way a request would.
func list(views []*turn.View) string {
	names := make([]string, len(views))
	for i, v := range views {
		names[i] = "?session=" + v.Session
		if v.Context != "" {
			names[i] += fmt.Sprintf(" (context %.128s)", v.Context)
		}
	}
	return strings.Join(names, ", ")
}

// forbidden is the error if the caller may not do what it asks for.
func forbidden(format string, args ...any) error {
	e := a2a.ErrInvalidRequest.With(format, args...)
	e.HTTP, e.Status, e.Reason = http.StatusForbidden, "PERMISSION_DENIED", "TERMINAL_FORBIDDEN"
	return e
}

// notFound is the error if what a request asks for does not exist.
func notFound(format string, args ...any) error {
	e := a2a.ErrInvalidParams.With(format, args...)
	e.HTTP, e.Status, e.Reason = http.StatusNotFound, "NOT_FOUND", "TERMINAL_NOT_FOUND"
	return e
}
