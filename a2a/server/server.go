package server

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Options configure a Server. The zero value of every field but Handler
// is usable.
type Options struct {
	// Handler does the work. Required.
	Handler Handler
	// Headers are sent with every response. The value of
	// x-spring-voyage-bridge-version is also put on 0.3 tasks over JSON-RPC.
	Headers map[string]string
	// MaxBody is the most bytes that a request body may have; 0: DefaultMaxBody.
	MaxBody int64
	// PublicURL is the address on the card, "" for the one that the client
	// used.
	PublicURL string
	// Authenticate returns who sends a request, or refuses it with ErrUnauthenticated or an
	// error that wraps it. nil means that callers are not known and that all tasks belong
	// to everybody. The card says how to authenticate (Card.Security); the card, /livez,
	// /readyz and /healthz are open to anybody.
	Authenticate func(*http.Request) (Identity, error)
	// Limits bound what callers may hold. The zero value has no limits.
	Limits Limits
	// Loopback reports whether the listener is on a loopback address: requests must
	// then name a loopback host, so that no web page can reach the server
	// through a name of its own (DNS rebinding).
	Loopback bool
	// AllowedHosts are further names, host or host:port in lower case, under which
	// browsers may call (host.go).
	AllowedHosts []string
	// CORS are the origins of web pages that may call; none by default.
	CORS []string
	// ReadHeaderTimeout is how long a client may take to send its header; 0:
	// DefaultReadHeaderTimeout.
	ReadHeaderTimeout time.Duration
	// IdleTimeout is how long a connection may wait for its next request; 0:
	// DefaultIdleTimeout.
	IdleTimeout time.Duration
	// StallTimeout cuts off a client that does not read what it is sent, and
	// one that does not send the body it announced; 0: DefaultStallTimeout.
	StallTimeout time.Duration
	// Heartbeat is the longest silence on a stream; 0: DefaultHeartbeat.
	Heartbeat time.Duration
	// Health returns the body of GET /healthz, JSON; nil for {"status":"ok"}.
	Health func() []byte
	// Metrics returns the body of GET /metrics, an OpenMetrics text; nil means that there
	// is no such path.
	Metrics func() []byte
	// Mounts are further paths, such as "/status", each matched as a whole; one that ends
	// in a slash stands for everything below it too. A2A's own come first.
	Mounts map[string]Mount
	// Observer is told about every request; it may be nil.
	Observer Observer
	// Log receives internal errors and panics; nil means none.
	Log *slog.Logger
}

// The defaults of Options.
const (
	DefaultMaxBody           = 8 << 20
	DefaultReadHeaderTimeout = 10 * time.Second
	DefaultIdleTimeout       = 2 * time.Minute
	DefaultStallTimeout      = 30 * time.Second
	DefaultHeartbeat         = 15 * time.Second
)

const (
	// streamGrace is how much time EndStreams gives a stream to send the remaining events
	// of its task.
	streamGrace = 500 * time.Millisecond

	bridgeHeader = "X-Spring-Voyage-Bridge-Version"
)

// Server serves A2A in both dialects and both bindings, the card, the tool
// list and the health paths. It is an http.Handler, safe for concurrent use.
type Server struct {
	opts    Options
	handler Handler
	log     *slog.Logger

	headers    []headerField // of every response
	bridge     string
	publicHost string // host[:port] of PublicURL
	origins    *http.CrossOriginProtection
	cors       map[string]bool // the origins of pages that may read answers
	cards      cardCache
	extended   cardCache
	callers    *callers // nil: nothing is counted
	refused    refusals
	handshakes refusals  // separate from refused, so that neither hides the other
	frames     sync.Pool // *[]byte, the buffers of streams

	stopping context.Context // ends when streams must
	stop     context.CancelFunc
}

// headerField is a header with its canonical name and one value.
type headerField struct {
	name  string
	value []string
}

// New returns a server over o.Handler. It starts nothing.
func New(o Options) *Server {
	o.MaxBody = cmp.Or(o.MaxBody, DefaultMaxBody)
	o.ReadHeaderTimeout = cmp.Or(o.ReadHeaderTimeout, DefaultReadHeaderTimeout)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, DefaultIdleTimeout)
	o.StallTimeout = cmp.Or(o.StallTimeout, DefaultStallTimeout)
	o.Heartbeat = cmp.Or(o.Heartbeat, DefaultHeartbeat)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.PublicURL = strings.TrimRight(o.PublicURL, "/")

	s := &Server{
		opts:    o,
		handler: o.Handler,
		log:     o.Log,
		origins: http.NewCrossOriginProtection(),
		callers: newCallers(o.Limits, o.MaxBody),
	}
	for k, v := range o.Headers {
		name := textproto.CanonicalMIMEHeaderKey(k)
		s.headers = append(s.headers, headerField{name, []string{v}})
		if name == bridgeHeader {
			s.bridge = v
		}
	}
	s.trustPublicURL()
	s.trustOrigins()
	s.stopping, s.stop = context.WithCancel(context.Background())
	return s
}

// trustPublicURL lets requests through that a proxy passes on under the public name. It
// ignores an address that is not a URL: the configuration refuses that.
func (s *Server) trustPublicURL() {
	u, err := url.Parse(s.opts.PublicURL)
	if err != nil || u.Host == "" {
		return
	}
	s.publicHost = u.Host
	if err := s.origins.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
		s.log.Warn("public URL is no origin", "url", s.opts.PublicURL, "err", err)
	}
}

// HTTPServer returns an http.Server over s with every limit set. It speaks HTTP/1.1 only:
// the protocol needs nothing more, and so the limits of one request are also those of its
// connection. Its Shutdown also calls EndStreams. There is no WriteTimeout, because of
// streams: StallTimeout takes its place.
func (s *Server) HTTPServer() *http.Server {
	hs := &http.Server{
		Handler:           s,
		Protocols:         new(http.Protocols),
		ReadHeaderTimeout: s.opts.ReadHeaderTimeout,
		IdleTimeout:       s.opts.IdleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ConnContext:       onConnect,
		ErrorLog:          log.New(connectionLog{s}, "", 0),
		// net/http's own would answer OPTIONS * past every check, and wait for
		// its body for ever.
		DisableGeneralOptionsHandler: true,
	}
	hs.Protocols.SetHTTP1(true)
	if n := s.opts.Limits.Connections; n > 0 {
		c := newConnections(n)
		hs.ConnState = c.state
		hs.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
			return c.known(onConnect(ctx, conn), conn)
		}
	}
	hs.RegisterOnShutdown(s.EndStreams)
	return hs
}

// onConnect is an http.Server's ConnContext.
func onConnect(ctx context.Context, conn net.Conn) context.Context {
	limitUnsent(conn)
	return withSocket(ctx, conn)
}

// EndStreams ends every open stream. A stream whose task has ended still sends the
// remaining events; any other is closed after half a second. It does not wait:
// http.Server.Shutdown does. It may be called more than once.
func (s *Server) EndStreams() {
	time.AfterFunc(streamGrace, s.stop)
}

// ServeHTTP answers one request. A panic below it is logged and answered as ErrInternal; if
// the answer had begun, the connection is cut.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for _, f := range s.headers {
		h[f.name] = f.value[:1:1]
	}
	x := &exchange{s: s, w: w, r: r, ctx: r.Context(), stall: stallGuard{rc: *http.NewResponseController(w), limit: s.opts.StallTimeout}}
	defer x.observe()()
	defer x.leaveBody()
	defer x.release()
	defer x.recover()
	x.serve()
}

// serve first finds the endpoint of the path, so that even a refusal is written in the
// client's dialect. Then it checks the request and answers it.
func (x *exchange) serve() {
	to, known := x.route()
	x.allowPage()
	if err := x.admit(); err != nil {
		x.refuseBody()
		x.fail(err)
		return
	}
	switch {
	case x.isPreflight():
		x.servePreflight()
	case !known:
		x.fail(noSuchPath(x.r.URL.Path))
	case !to.allows(x.r.Method):
		x.w.Header().Set("Allow", to.allow)
		x.fail(errMethodNotAllowed.With("%.20q is not allowed here, only %s", x.r.Method, to.allow))
	default:
		to.serve(x)
	}
}

// admit makes the checks that come before any work, whatever the path; paths that are open
// to anybody need no authentication. The server does not wait for the body of a request
// that is refused here.
func (x *exchange) admit() error {
	if len(x.r.RequestURI) > maxURL {
		return errURLTooLong
	}
	if err := x.s.checkHost(x.r); err != nil {
		return err
	}
	if err := x.s.origins.Check(x.r); err != nil {
		return errCrossOrigin
	}
	if openPath(x.r.URL.Path) || x.isPreflight() {
		x.refuseBody() // it means nothing here
		return x.enterOpen()
	}
	if err := x.authenticate(); err != nil {
		return err
	}
	return x.enter()
}

// recover turns a panic into an answer.
func (x *exchange) recover() {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler {
		panic(v)
	}
	x.s.log.Error("panic in a request", "method", x.r.Method, "path", x.r.URL.Path, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
	if x.started {
		panic(http.ErrAbortHandler) // the client must not take half an answer for a whole one
	}
	x.fail(a2a.ErrInternal)
}
