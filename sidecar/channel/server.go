package channel

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"
)

// Options configure Listen.
type Options struct {
	// RuntimeDir is the directory that is tried first; "" for none.
	RuntimeDir string
	// Exposed reports whether a directory is one in which tools may write: it is then tried after
	// all others. nil: none is.
	Exposed func(dir string) bool
	// UID is the user that the agent runs as; -1 means our own. Peers that run as
	// that user or as our own are admitted.
	UID int
	// Version is sent to agents as sidecarVersion.
	Version string
	// Caller executes the tool calls of agents. nil: they cannot call tools.
	Caller Caller
	// Toolbox tells agents which tools they can call. nil: they cannot list them.
	Toolbox Toolbox
	// MaxFile is how long the arguments, or the result, of one call may be that go by a file in
	// the outbox of an agent, in bytes. 0: files are not exchanged.
	MaxFile int64
	// URL returns the address of the sidecar that Caller calls for; agents are told it. nil:
	// they are not.
	URL func() string
	// Log may be nil, which means no log.
	Log *slog.Logger
}

// Server is the socket. All methods may be called from many goroutines.
type Server struct {
	opts Options
	log  *slog.Logger
	dir  *runtimeDir
	ln   *net.UnixListener
	wg   sync.WaitGroup

	ctx    context.Context
	cancel context.CancelCauseFunc
	closed sync.Once
	files  chan struct{} // holds one value for each call with arguments of a file
	writes chan struct{} // holds one value for each result that is made into a file

	mu        sync.Mutex
	grants    map[digest]*Grant
	granting  int // how many grants were made
	conns     map[*Conn]struct{}
	strangers map[int]int // connections without a grant, by Lineage.Top
}

// Listen starts the server. The error is ErrNoDir if there is no place for the
// socket.
func Listen(o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	dir, ln, err := listen(o)
	if err != nil {
		return nil, err
	}
	s := &Server{
		opts: o, log: o.Log, dir: dir, ln: ln,
		grants: make(map[digest]*Grant), conns: make(map[*Conn]struct{}),
		strangers: make(map[int]int), files: make(chan struct{}, MaxAllFiles), writes: make(chan struct{}, maxWrites),
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.wg.Go(s.serve)
	return s, nil
}

// Path is the value of SIDECAR_SOCKET for agents.
func (s *Server) Path() string { return s.dir.socket() }

// url is what agents are told of where the sidecar serves.
func (s *Server) url() string {
	if s.opts.Caller == nil || s.opts.URL == nil {
		return ""
	}
	return s.opts.URL()
}

// Dir is the private directory that the socket is in. Other files in it are removed
// with it: at Close or, if this sidecar is killed, when the next one sweeps.
func (s *Server) Dir() string { return s.dir.path }

// Close ends every connection, waits for all goroutines, including calls of Owners'
// methods, and removes the socket. It may be called more than once, but not from an
// Owner's method.
func (s *Server) Close() error {
	var err error
	s.closed.Do(func() {
		s.cancel(ErrLost)
		err = s.ln.Close()
		s.mu.Lock()
		for c := range s.conns {
			c.link.kill()
		}
		s.mu.Unlock()
		s.wg.Wait()
		s.dir.remove()
	})
	return err
}

// serve accepts connections until the listener is closed.
func (s *Server) serve() {
	for {
		nc, err := s.ln.AcceptUnix()
		switch {
		case err == nil:
			s.start(nc)
		case errors.Is(err, net.ErrClosed):
			return
		default: // there are no descriptors left, for now
			s.log.Warn("channel: no connection taken", "error", err)
			select {
			case <-s.ctx.Done():
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
}

// start serves a connection, unless there are too many.
func (s *Server) start(nc *net.UnixConn) {
	p, err := newPeer(nc)
	if err != nil {
		s.log.Warn("channel: peer without credentials", "error", err)
	}
	if err := s.admit(nc, p); err != nil {
		s.log.Debug("channel connection refused", "pid", p.lineage.PID(), "error", err)
		turnAway(nc, err)
	}
}

// admit starts to serve a connection, or returns why not.
func (s *Server) admit(nc *net.UnixConn, p peer) *Error {
	from := p.program()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ctx.Err() != nil:
		return ErrDenied.With("the sidecar is ending")
	case len(s.conns) >= MaxAll:
		return ErrBusy.With("too many connections: %d are open", MaxAll)
	case s.strangers[from] >= MaxStrangers:
		return ErrBusy.With("too many connections: %d of this program's have not said initialize", MaxStrangers)
	}
	c := newConn(s, nc, p, from)
	s.conns[c] = struct{}{}
	s.strangers[from]++
	s.wg.Go(c.run)
	return nil
}

// turnAway tells the peer why its connection is not served. What does not fit into
// the socket's buffer at once is not sent.
func turnAway(nc *net.UnixConn, why *Error) {
	defer nc.Close()
	frame, err := encode(response{Version: "2.0", ID: json.RawMessage("null"), Error: asWire(why)})
	if err != nil {
		return
	}
	if raw, err := nc.SyscallConn(); err == nil {
		writeOnce(raw, frame)
	}
}
