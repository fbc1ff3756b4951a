package egress

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Defaults of a proxy's limits.
const (
	// DefaultConnections is how many connections a call may have at once.
	DefaultConnections = 128
	// DefaultHeadBytes is the most bytes of a request's head, or of a response's.
	DefaultHeadBytes = 64 << 10
	// DefaultHeadTimeout bounds the time until a client has said what it wants.
	DefaultHeadTimeout = 10 * time.Second
	// DefaultIdle is how long a connection lives without a byte in either direction.
	DefaultIdle = 5 * time.Minute
)

// Options is what a Proxy is made of. The zero value of a limit is its default.
type Options struct {
	// Dialer judges the targets.
	Dialer *Dialer
	// Tell is told of each target when its connection has ended, by the goroutine that served
	// it: many may do so at the same time. nil: nobody is told.
	Tell func(Attempt)
	// Channel connects to the sidecar's channel for a client that asks for ChannelHost: for one that
	// can make no Unix socket. nil: that is a host as any.
	Channel func() (net.Conn, error)
	// Connections is how many connections there may be at once; one more is closed.
	Connections int
	// HeadBytes is the most bytes of a request's head, or of a response's.
	HeadBytes int
	// HeadTimeout bounds the time until a client has said what it wants.
	HeadTimeout time.Duration
	// Idle is how long a connection lives without a byte in either direction.
	Idle time.Duration
}

// Proxy is the proxy of one call.
type Proxy struct {
	o      Options
	secret string

	ctx  context.Context // ends with Close
	stop context.CancelFunc
	work sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	listener net.Listener // nil before Serve
	clients  int
	conns    map[net.Conn]struct{} // of clients and to targets
}

// New returns a proxy with a secret of its own. Close releases it.
func New(o Options) *Proxy {
	if o.Connections <= 0 {
		o.Connections = DefaultConnections
	}
	if o.HeadBytes <= 0 {
		o.HeadBytes = DefaultHeadBytes
	}
	if o.HeadTimeout <= 0 {
		o.HeadTimeout = DefaultHeadTimeout
	}
	if o.Idle <= 0 {
		o.Idle = DefaultIdle
	}
	p := &Proxy{o: o, secret: rand.Text(), conns: map[net.Conn]struct{}{}}
	p.ctx, p.stop = context.WithCancel(context.Background()) // its owner calls Close
	return p
}

// Serve accepts the call's connections on a goroutine of its own, until Close, which closes the
// listener too. It is called once.
func (p *Proxy) Serve(l net.Listener) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = l.Close() // nobody listens any more
		return
	}
	p.listener = l
	p.work.Go(func() { p.accept(l) })
}

// Close ends all connections and returns when all goroutines have ended. It may be called more
// than once.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	if p.listener != nil {
		_ = p.listener.Close() // all that it accepted is ended too
	}
	for c := range p.conns {
		_ = c.Close() // its reader notices
	}
	p.mu.Unlock()
	p.stop()
	p.work.Wait()
}

func (p *Proxy) accept(l net.Listener) {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) || p.ctx.Err() != nil {
			if err == nil {
				_ = conn.Close() // it came too late
			}
			return
		}
		if err != nil { // a client that went away, or no descriptors for the moment
			select {
			case <-p.ctx.Done():
			case <-time.After(acceptPause):
			}
			continue
		}
		p.admit(conn)
	}
}

// acceptPause keeps a listener that fails from spinning.
const acceptPause = 50 * time.Millisecond

// admit serves a connection, or closes it if there are too many.
func (p *Proxy) admit(conn net.Conn) {
	p.mu.Lock()
	full := p.closed || p.clients >= p.o.Connections
	if !full {
		p.clients++
		p.conns[conn] = struct{}{}
	}
	p.mu.Unlock()
	if full {
		_ = conn.Close() // the client sees the end of it
		return
	}
	p.work.Go(func() {
		defer p.leave()
		defer p.drop(conn)
		p.serve(conn)
	})
}

// leave makes room for another client.
func (p *Proxy) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clients--
}

// drop closes a connection and forgets it.
func (p *Proxy) drop(conn net.Conn) {
	_ = conn.Close() // it has been, or is of no use any more
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, conn)
}

// client is a connection of the call.
type client struct {
	net.Conn
	head *io.LimitedReader // what r may still read
	r    *bufio.Reader
}

// Read reads what the buffer has first.
func (c *client) Read(b []byte) (int, error) { return c.r.Read(b) }

// unlimit ends the limit of the head: what follows is the body, or a tunnel.
func (c *client) unlimit() { c.head.N = 1<<63 - 1 }

// serve finds out which protocol a client speaks.
func (p *Proxy) serve(conn net.Conn) {
	_ = conn.SetDeadline(time.Now().Add(p.o.HeadTimeout))
	c := &client{Conn: conn, head: &io.LimitedReader{R: conn, N: int64(p.o.HeadBytes)}}
	c.r = bufio.NewReader(c.head)
	first, err := c.r.Peek(1)
	switch {
	case err != nil:
	case first[0] == socksVersion:
		p.socks(c)
	default:
		p.http(c)
	}
}

// knows reports whether a client has shown the call's secret.
func (p *Proxy) knows(secret string) bool {
	return subtle.ConstantTimeCompare([]byte(secret), []byte(p.secret)) == 1
}

// wrongSecret is the reason of a client that has no business here.
const wrongSecret = "the secret is not this call's"

func (p *Proxy) tell(a Attempt) {
	if p.o.Tell != nil {
		p.o.Tell(a)
	}
}

// open judges a target and connects to it. With an error the attempt has been told; otherwise
// done must follow.
func (p *Proxy) open(host string, port uint16) (*upstream, *Attempt, error) {
	conn, a, err := p.o.Dialer.Dial(p.ctx, host, port)
	if err == nil && !p.keep(conn) {
		err = errEnded
		a.Reason = err.Error()
	}
	if err != nil {
		p.tell(a)
		return nil, &a, err
	}
	return &upstream{Conn: conn}, &a, nil
}

var errEnded = errors.New("the call has ended")

// keep lets Close end a connection; if that has begun, the connection is closed now.
func (p *Proxy) keep(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = conn.Close() // nothing was said on it
		return false
	}
	p.conns[conn] = struct{}{}
	return true
}

// upstream is a connection to a target. It counts.
type upstream struct {
	net.Conn
	sent, received atomic.Int64
}

func (u *upstream) Read(b []byte) (int, error) {
	n, err := u.Conn.Read(b)
	u.received.Add(int64(n))
	return n, err
}

func (u *upstream) Write(b []byte) (int, error) {
	n, err := u.Conn.Write(b)
	u.sent.Add(int64(n))
	return n, err
}

// done closes the connection to a target and tells of the attempt.
func (p *Proxy) done(u *upstream, a *Attempt) {
	p.drop(u.Conn)
	a.Sent, a.Received = u.sent.Load(), u.received.Load()
	p.tell(*a)
}
