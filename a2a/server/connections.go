package server

import (
	linked "container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// connections limits how many connections are open, so that the process keeps descriptors
// for its own needs. If there are too many, the connection that has waited longest for a
// request is closed, whether it is idle or new: so a client that only opens connections
// keeps nobody out. A connection whose answer is going out will soon be idle, so a new one
// may be accepted above the limit in its place; as soon as one is idle, the excess is
// closed. If every connection has a request under way, the new one is refused.
type connections struct {
	limit int
	spare int // how many connections may be above the limit

	mu        sync.Mutex
	open      map[net.Conn]*connection
	waiting   *linked.List // of net.Conn, the longest waiting first
	answering int          // connections that are answering
}

// connection is the state of one open connection.
type connection struct {
	waiting   *linked.Element // in connections.waiting; nil while a request is under way
	answering bool            // its request's answer is going out
}

func newConnections(limit int) *connections {
	return &connections{limit: limit, spare: max(limit/8, 1), open: make(map[net.Conn]*connection), waiting: linked.New()}
}

// connectionKey is the context key of a request's connection.
type connectionKey struct{}

// requestConnection is the connection of a request.
type requestConnection struct {
	all  *connections
	conn net.Conn
}

// known returns a context with which the requests of a connection can call giveUp and
// answering.
func (c *connections) known(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, requestConnection{c, conn})
}

// giveUp marks a request's connection as one that may be closed if room is needed: the
// answer is out, and the connection ends with it.
func giveUp(ctx context.Context) {
	if r, ok := ctx.Value(connectionKey{}).(requestConnection); ok {
		r.all.idle(r.conn)
	}
}

// answering records that a request's answer goes out now. A client may have it, and open
// its next connection, before net/http reports this one as idle.
func answering(ctx context.Context) {
	if r, ok := ctx.Value(connectionKey{}).(requestConnection); ok {
		r.all.answer(r.conn)
	}
}

// state is an http.Server's ConnState. For a new connection it is called by the goroutine
// that accepts connections.
func (c *connections) state(conn net.Conn, s http.ConnState) {
	switch s {
	case http.StateNew:
		if victim := c.add(conn); victim != nil {
			refuseConnection(victim, victim == conn)
		}
	case http.StateActive:
		c.busy(conn)
	case http.StateIdle:
		c.idle(conn)
	case http.StateClosed, http.StateHijacked:
		c.remove(conn)
	}
}

// add adds a connection and returns the one that must be closed for it: nil for none, conn
// itself if it is refused.
func (c *connections) add(conn net.Conn) (victim net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) >= c.limit {
		victim = c.evict()
		if above := len(c.open) - c.limit; victim == nil && above >= min(c.answering, c.spare) {
			return conn // net/http says that it is closed; it was never in
		}
	}
	c.open[conn] = &connection{waiting: c.waiting.PushBack(conn)}
	return victim
}

// evict removes and returns the connection that has waited longest. It returns nil if none
// waits.
func (c *connections) evict() net.Conn {
	first := c.waiting.Front()
	if first == nil {
		return nil
	}
	victim := first.Value.(net.Conn)
	c.forget(victim, c.open[victim])
	return victim
}

// forget removes a connection from all counts.
func (c *connections) forget(conn net.Conn, k *connection) {
	c.rest(k)
	delete(c.open, conn)
}

// rest resets a connection: it neither waits nor is answering.
func (c *connections) rest(k *connection) {
	if k.waiting != nil {
		c.waiting.Remove(k.waiting)
		k.waiting = nil
	}
	if k.answering {
		c.answering--
		k.answering = false
	}
}

func (c *connections) busy(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.open[conn]; k != nil {
		c.rest(k)
	}
}

// answer records that the answer of the connection's request goes out.
func (c *connections) answer(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.open[conn]; k != nil && k.waiting == nil && !k.answering {
		k.answering = true
		c.answering++
	}
}

// idle records that a connection waits for its next request. If there are more connections
// than the limit, it closes the one that has waited longest.
func (c *connections) idle(conn net.Conn) {
	if victim := c.wait(conn); victim != nil {
		refuseConnection(victim, false)
	}
}

func (c *connections) wait(conn net.Conn) (victim net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.open[conn]
	if k == nil || k.waiting != nil {
		return nil
	}
	c.rest(k)
	k.waiting = c.waiting.PushBack(conn)
	if len(c.open) > c.limit {
		return c.evict()
	}
	return nil
}

func (c *connections) remove(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.open[conn]; k != nil {
		c.forget(conn, k)
	}
}

// refusal is the whole answer of a server that has no room for a connection.
const refusal = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

// refuseConnection closes a connection. A new connection is told why if that is possible
// without waiting: the kernel accepts that few bytes at once.
func refuseConnection(conn net.Conn, isNew bool) {
	if _, encrypted := conn.(*tls.Conn); isNew && !encrypted {
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = conn.Write([]byte(refusal)) // it is closed in any case
	}
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn() // without a goodbye that might have to wait
	}
	_ = conn.Close()
}
