package channel

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// flushTime is how long the peer of a connection that ends may take to read the last
// answers.
const flushTime = time.Second

// Conn is one connection of an agent. A SessionOwner gets the connections that offer
// to take messages or tool calls. All methods may be called from many goroutines.
type Conn struct {
	s    *Server
	link *link
	peer peer
	from int // the peer's Lineage.Top

	ctx     context.Context // ends with the connection
	cancel  context.CancelCauseFunc
	beside  sync.WaitGroup // asks, calls and questions about tools, which run beside the reader
	slots   chan struct{}  // holds one value for each open ask
	calls   agentCalls
	files   connFiles
	lookups chan struct{} // holds one value for each open question about tools
	watches bool          // it is told of changes of its tools; the reader's alone
	ended   chan struct{} // closed when nothing of the connection runs any more

	// initialize writes these fields once, before anybody else sees them.
	grant *Grant
	name  string
	offer capabilities
}

func newConn(s *Server, nc *net.UnixConn, p peer, from int) *Conn {
	c := &Conn{
		s: s, link: newLink(nc, false, MaxCalls), peer: p, from: from,
		slots: make(chan struct{}, MaxAsks), lookups: make(chan struct{}, MaxToolCalls), ended: make(chan struct{}),
	}
	c.ctx, c.cancel = context.WithCancelCause(s.ctx)
	return c
}

// run serves the connection until it ends.
func (c *Conn) run() {
	defer close(c.ended)
	c.link.nc.SetReadDeadline(time.Now().Add(HandshakeTime))
	frames := newFrameReader(c.link.nc)
	frames.most = maxFirst
	err := c.read(frames)
	frames.release()
	c.link.abandon()
	c.cancel(ErrLost)
	c.beside.Wait()
	if errors.Is(err, ErrFrame) {
		c.link.refuse(nil, c.tooLong())
	}
	c.link.flush(flushTime)
	c.files.sweep()
	c.s.forget(c)
	if c.grant != nil {
		c.s.log.Debug("channel connection ended", "name", c.name, "error", err)
	}
}

// tooLong returns the error for a frame that is too long. It names the limit.
func (c *Conn) tooLong() *Error {
	if c.grant == nil {
		return ErrFrame.With("the first frame is longer than the limit of %d bytes", maxFirst)
	}
	return ErrFrame
}

// read handles frames in order until the connection cannot be used any more.
func (c *Conn) read(frames *frameReader) error {
	for {
		frame, err := frames.next()
		if err != nil {
			return err
		}
		m, fault := parseMessage(frame)
		switch {
		case fault != nil:
			c.link.refuse(m, fault)
		case m.method == "":
			c.link.settle(m)
			continue
		case c.grant == nil:
			if fault = c.initialize(m); fault == nil {
				frames.most, frames.long, frames.dead = MaxFrame, c.grant.long, c.link.dead
			}
		default:
			c.handle(m)
		}
		if fault != nil && c.grant == nil {
			return fault
		}
		select {
		case <-c.link.dead:
			return io.ErrClosedPipe
		default:
		}
	}
}

// initialize admits the connection, or returns why not.
func (c *Conn) initialize(m *message) *Error {
	var p initializeParams
	err := c.admit(m, &p)
	if err != nil {
		c.link.reply(m, nil, err)
		return err
	}
	c.link.nc.SetReadDeadline(time.Time{})
	c.link.reply(m, initializeResult{
		ProtocolVersion: ProtocolVersion, SidecarVersion: c.s.opts.Version, URL: c.s.url(), Outbox: c.outboxPath(), MaxFile: c.maxFile(),
	}, nil)
	c.s.log.Debug("channel connection", "name", c.name, "messages", c.offer.Messages, "tools", c.offer.Tools)
	if c.offering() {
		c.grant.owner.(SessionOwner).Offered(c)
	}
	return nil
}

func (c *Conn) admit(m *message, p *initializeParams) *Error {
	if m.method != methodInitialize {
		return ErrInvalidRequest.With("the first frame must be initialize, not %q", m.method)
	}
	if err := decode(m.params, p); err != nil {
		return asFault(err)
	}
	if err := c.s.refused(c.peer); err != nil {
		return err
	}
	if p.ProtocolVersion != ProtocolVersion {
		return asFault(invalid("protocolVersion", "is %q; this sidecar speaks %q", p.ProtocolVersion, ProtocolVersion))
	}
	c.name, c.offer = p.Name, p.Capabilities
	if err := c.s.enter(c, p.Token); err != nil {
		return err
	}
	if c.s.opts.Caller != nil {
		c.files.outbox = outboxOf(c.grant.owner)
	}
	return nil
}

// asFault returns err as an *Error. An error that is none becomes an internal error.
func asFault(err error) *Error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e
	}
	return ErrInternal.With("%s", err)
}

func (c *Conn) offering() bool { return c.offer.Messages || c.offer.Tools }
