package server

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// net/http ends the context of a request as soon as nothing more can be read from
// its client. That is so of a client that is gone, and of one that only sends no
// more (half-closed, RFC 9293 §3.6): that one still waits for its answer. What
// tells them apart is what comes back when something is sent to them.

const (
	// lookEvery is how often the connection of a client that sends no more is
	// looked at.
	lookEvery = 250 * time.Millisecond

	// interim asks a client that waits for an answer whether it is still there.
	// Clients skip it, also when they did not ask for it (RFC 9110 §15.2.1).
	interim = "HTTP/1.1 100 Continue\r\n\r\n"
)

// socketKey is where a request's context has its connection.
type socketKey struct{}

// withSocket is for an http.Server's ConnContext. Without it a client that sends
// no more is taken for one that is gone.
func withSocket(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, socketKey{}, conn)
}

// reachable reports whether the other end of conn may still take something.
func reachable(conn net.Conn) bool {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false
	}
	connected := false
	err = raw.Control(func(fd uintptr) {
		_, err := unix.Getpeername(int(fd))
		connected = err == nil // a connection that was reset has no peer
	})
	return err == nil && connected
}

// presence follows whether the client of an exchange is there, while something
// is done for it.
type presence struct {
	conn    net.Conn           // nil: nothing is known of it
	gone    context.CancelFunc // ends what is done
	ask     bool               // nothing else is sent meanwhile
	every   time.Duration      // between two questions
	timeout time.Duration      // of one

	unwatch func() bool // keeps the watch from beginning
	settled chan struct{}
	once    sync.Once
	watched sync.WaitGroup
}

// attend makes x.ctx end when the client is gone, and not when it only sends no
// more. Until settle the connection is not the caller's to write to, unless the
// answer is a stream: then its heartbeats do the asking.
func (x *exchange) attend(stream bool) *presence {
	request := x.r.Context()
	p := &presence{
		ask:   !stream && x.r.ProtoAtLeast(1, 1),
		every: x.s.opts.Heartbeat, timeout: x.s.opts.StallTimeout,
		settled: make(chan struct{}),
	}
	p.conn, _ = request.Value(socketKey{}).(net.Conn)
	x.ctx, p.gone = context.WithCancel(context.WithoutCancel(request))
	p.watched.Add(1)
	p.unwatch = context.AfterFunc(request, func() {
		defer p.watched.Done()
		p.watch()
	})
	return p
}

// stopWatching ends the watch: the answer is there.
func (p *presence) stopWatching() {
	p.once.Do(func() {
		close(p.settled)
		if p.unwatch() {
			p.watched.Done()
		}
		p.watched.Wait()
	})
}

// leave ends what was done for the client, and the watch.
func (p *presence) leave() {
	p.stopWatching()
	p.gone()
}

// watch looks after a client that sends no more.
func (p *presence) watch() {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	asked := time.Now()
	for reachable(p.conn) {
		select {
		case <-p.settled:
			return
		case <-tick.C:
		}
		if p.ask && time.Since(asked) >= p.every {
			asked = time.Now()
			_ = p.conn.SetWriteDeadline(asked.Add(p.timeout))
			_, _ = p.conn.Write([]byte(interim)) // whether it came shows at the next look
		}
	}
	p.gone()
}
