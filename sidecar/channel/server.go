package channel

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"
)

// Options configure Listen.
type Options struct {
	// RuntimeDir is tried first; "" for none.
	RuntimeDir string
	// UID is the user that the agent runs as, -1 for our own. Peers of that
	// user and of our own are let in.
	UID int
	// Version is told to agents as sidecarVersion.
	Version string
	// Log is nil for none.
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

	mu     sync.Mutex
	grants map[digest]*Grant
	conns  map[*Conn]struct{}
}

// Listen starts the server. The error is ErrNoDir when there is nowhere to put
// the socket.
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
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.wg.Go(s.serve)
	return s, nil
}

// Path is what agents get as SIDECAR_SOCKET.
func (s *Server) Path() string { return s.dir.socket() }

// Dir is the private directory that the socket is in. What else is put there
// goes with it: at Close, or when the next sidecar sweeps after one that was
// killed.
func (s *Server) Dir() string { return s.dir.path }

// Close ends every connection, waits for all goroutines, calls of Owners
// included, and removes the socket. It may be called more than once, but not
// by an Owner's method.
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
		default: // no descriptors left, for now
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
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) >= MaxConns || s.ctx.Err() != nil {
		s.log.Debug("channel connection refused: too many")
		nc.Close()
		return
	}
	c := newConn(s, nc)
	s.conns[c] = struct{}{}
	s.wg.Go(c.run)
}

// allowed reports whether the peer's user may speak at all: the agent's, and
// our own.
func (s *Server) allowed(nc *net.UnixConn) bool {
	uid, err := peerUID(nc)
	if err != nil {
		s.log.Warn("channel: peer without credentials", "error", err)
		return false
	}
	return uid == os.Geteuid() || s.opts.UID >= 0 && uid == s.opts.UID
}
