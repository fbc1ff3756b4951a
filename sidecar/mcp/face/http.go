package face

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTPOptions configure an HTTP.
type HTTPOptions struct {
	// Backend returns the tools of a caller. It is called once per caller that is remembered.
	Backend func(caller string) Backend
	// Changed is Backend.Changed for all callers.
	Changed func() <-chan struct{}
	// Sessions is how many sessions there may be, CallerSessions how many of one caller.
	Sessions, CallerSessions int
	// Idle is how long a session without a request lives.
	Idle time.Duration
	// Version, Progress, Loaded, Instructions and Log are those of Options.
	Version      string
	Progress     time.Duration
	Loaded       int
	Instructions func(ctx context.Context) string
	Log          *slog.Logger
}

// Errors of ServeHTTP, which has answered nothing then.
var (
	// ErrSessions: the caller has too many sessions.
	ErrSessions = errors.New("this caller has too many MCP sessions")
	// ErrFull: all callers together have too many sessions, or there are too many callers.
	ErrFull = errors.New("there are too many MCP sessions")
	// ErrClosed: the server is closing.
	ErrClosed = errClosed
)

// MaxCallers is how many callers are remembered, with the tools that they have loaded. The one that
// was here least recently and has no session gives way.
const MaxCallers = 1024

// The headers of the protocol, and the one by which a handler of the SDK's finds the request that
// it works for. A client's own is removed.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerRequest = "Sidecar-Mcp-Request"
)

// HTTP serves many callers over HTTP. Each has a server of its own: a session is found among its
// caller's alone, and a client that does not read holds up nothing of another caller's. Its methods
// may be called from many goroutines.
type HTTP struct {
	o HTTPOptions

	requests sync.Map // from the value of headerRequest to the context of an HTTP request

	mu      sync.Mutex
	callers map[string]*caller
	closed  bool
}

// caller is what is remembered of one.
type caller struct {
	face      *Face
	sessions  *mcp.StreamableHTTPHandler // of revisions before 2026-07-28
	stateless *mcp.StreamableHTTPHandler // of this one and later

	// Guarded by HTTP.mu:
	requests int // under way
	opening  int // of them, those that may open a session
	last     time.Time
}

// NewHTTP returns a server; Close releases it.
func NewHTTP(o HTTPOptions) *HTTP {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &HTTP{o: o, callers: make(map[string]*caller)}
}

// Follow tells the clients of each change of the tools until ctx ends.
func (h *HTTP) Follow(ctx context.Context) {
	for {
		changed := h.o.Changed()
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
		for _, c := range h.all() {
			c.face.Notify()
		}
	}
}

func (h *HTTP) all() (all []*caller) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.callers {
		all = append(all, c)
	}
	return all
}

// Close cancels the calls, ends the sessions and waits for both.
func (h *HTTP) Close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	var closing sync.WaitGroup
	for _, c := range h.all() {
		closing.Go(c.face.Close) // one caller's calls do not go on while another's are waited for
	}
	closing.Wait()
}

// ServeHTTP answers a request of a caller. The Backend gets the values of the request's context. An
// error means that nothing was answered.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request, name string) error {
	stateless := r.Header.Get(headerVersion) >= revisionStateless
	id := r.Header.Get(headerSession)
	opens := !stateless && r.Method == http.MethodPost && id == ""
	c, err := h.enter(name, opens)
	if err != nil {
		return err
	}
	defer h.leave(c, opens)
	r, forget := h.known(r)
	defer forget()
	if stateless {
		c.stateless.ServeHTTP(w, r)
		return nil
	}
	if r.Method == http.MethodDelete {
		c.face.cancelSession(id) // the session's end waits for its calls
	}
	c.sessions.ServeHTTP(w, r)
	return nil
}

// known gives a request a name by which the SDK's handler finds its context: that of a session is
// the context of the request that opened it.
func (h *HTTP) known(r *http.Request) (known *http.Request, forget func()) {
	key := rand.Text()
	h.requests.Store(key, context.WithoutCancel(r.Context()))
	known = r.Clone(r.Context())
	known.Header.Set(headerRequest, key)
	return known, func() { h.requests.Delete(key) }
}

// scope returns the context that the Backend gets for a request: with the values of the HTTP
// request that brought it. The error is for a request whose client has gone already.
func (h *HTTP) scope(ctx context.Context, header http.Header) (context.Context, error) {
	values, ok := h.requests.Load(header.Get(headerRequest))
	if !ok {
		return nil, errors.New("the request has gone")
	}
	return scoped{ctx, values.(context.Context)}, nil
}

// scoped is a context with the values of another one, which come first. That one has no end: its
// cause would be taken for this one's.
type scoped struct {
	context.Context
	values context.Context
}

// Value implements context.Context.
func (s scoped) Value(key any) any {
	if v := s.values.Value(key); v != nil {
		return v
	}
	return s.Context.Value(key)
}

// enter finds a caller, or remembers a new one, and counts a request of it.
func (h *HTTP) enter(name string, opens bool) (*caller, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrClosed
	}
	c := h.callers[name]
	if c == nil {
		if len(h.callers) >= MaxCallers && !h.forgetOne() {
			return nil, ErrFull
		}
		c = h.newCaller(name)
		h.callers[name] = c
	}
	if opens {
		if c.count() >= h.o.CallerSessions {
			return nil, fmt.Errorf("%w: %d, which is the limit", ErrSessions, h.o.CallerSessions)
		}
		total := 0
		for _, other := range h.callers {
			total += other.count()
		}
		if total >= h.o.Sessions {
			return nil, fmt.Errorf("%w: %d, which is the limit", ErrFull, h.o.Sessions)
		}
		c.opening++
	}
	c.requests++
	c.last = time.Now()
	return c, nil
}

func (h *HTTP) leave(c *caller, opens bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c.requests--
	if opens {
		c.opening--
	}
}

// count returns how many sessions a caller has, with those that may be opened now. HTTP.mu is held.
func (c *caller) count() int {
	n := c.opening
	for s := range c.face.server.Sessions() {
		if s.ID() != "" {
			n++
		}
	}
	return n
}

// forgetOne forgets the caller that was here least recently and has neither requests nor sessions
// nor calls. It reports whether there was one. mu is held.
func (h *HTTP) forgetOne() bool {
	var oldest string
	var found *caller
	for name, c := range h.callers {
		if c.requests == 0 && (found == nil || c.last.Before(found.last)) && c.count() == 0 && c.face.idle() {
			oldest, found = name, c
		}
	}
	if found == nil {
		return false
	}
	delete(h.callers, oldest)
	found.face.Close() // it waits for nothing
	return true
}

func (h *HTTP) newCaller(name string) *caller {
	f := New(Options{
		Backend: h.o.Backend(name), Version: h.o.Version, Progress: h.o.Progress, Loaded: h.o.Loaded, Log: h.o.Log, Scope: h.scope,
		Instructions: h.o.Instructions,
	})
	get := func(*http.Request) *mcp.Server { return f.server }
	// The host, the origin and the body's length were checked before.
	return &caller{
		face:      f,
		sessions:  mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{SessionTimeout: h.o.Idle, DisableLocalhostProtection: true, MaxRequestBodyBytes: -1}),
		stateless: mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: -1}),
	}
}
