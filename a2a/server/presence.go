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

// net/http ends the context of a request as soon as nothing more can be read from its
// client. That happens if the client is gone, but also if it only sends no more
// (half-closed, RFC 9293 §3.6) and still waits for its answer. The reaction to something
// that is sent to the client tells the two apart.

const (
	// lookEvery is how often the connection of a client that sends no more is checked.
	lookEvery = 250 * time.Millisecond

	// interim asks a client that waits for an answer whether it is still there. Clients
	// skip it even if they did not ask for it (RFC 9110 §15.2.1).
	interim = "HTTP/1.1 100 Continue\r\n\r\n"
)

// socketKey is the context key of a request's connection.
type socketKey struct{}

// withSocket is for an http.Server's ConnContext. Without it a client that sends no more is
// treated as one that is gone.
func withSocket(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, socketKey{}, conn)
}

// reachable reports whether the other end of conn may still receive data.
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

// presence watches whether the client of an exchange is still there while work is done for
// it.
type presence struct {
	conn    net.Conn           // nil: the connection is not known
	gone    context.CancelFunc // ends the work
	ask     bool               // send interim answers: nothing else is sent meanwhile
	every   time.Duration      // the time between two interim answers
	timeout time.Duration      // the write timeout of one

	unwatch func() bool // keeps the watch from beginning
	settled chan struct{}
	once    sync.Once
	watched sync.WaitGroup
}

// attend makes x.ctx end when the client is gone, but not when it only sends no more. Until
// stopWatching the caller must not write to the connection, unless the answer is a stream:
// then its heartbeats replace the interim answers.
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

// stopWatching ends the watch, because the answer is ready.
func (p *presence) stopWatching() {
	p.once.Do(func() {
		close(p.settled)
		if p.unwatch() {
			p.watched.Done()
		}
		p.watched.Wait()
	})
}

// leave ends the work for the client and the watch.
func (p *presence) leave() {
	p.stopWatching()
	p.gone()
}

// watch checks a client that sends no more until it is gone or the watch ends.
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
			_, _ = p.conn.Write([]byte(interim)) // the next check shows whether it arrived
		}
	}
	p.gone()
}
