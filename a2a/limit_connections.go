package a2a

import (
	linked "container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// connections bounds how many are open, so that the process keeps descriptors
// for its own needs. When there are too many, the one that has waited for
// longest for a request makes room, be it idle or new: whoever only opens
// connections keeps nobody out. When each of them has a request under way, the
// new one is refused.
type connections struct {
	limit int

	mu      sync.Mutex
	open    map[net.Conn]*linked.Element // the element of waiting, nil while a request is under way
	waiting *linked.List                 // of net.Conn, the longest waiting first
}

func newConnections(limit int) *connections {
	return &connections{limit: limit, open: make(map[net.Conn]*linked.Element), waiting: linked.New()}
}

// connectionKey is where a request's context has its connection.
type connectionKey struct{}

// known lets the requests of a connection call giveUp.
func (c *connections) known(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, func() { c.wait(conn) })
}

// giveUp says that a request's connection may go when room is needed: the answer
// is out, and the connection ends with it.
func giveUp(ctx context.Context) {
	if wait, ok := ctx.Value(connectionKey{}).(func()); ok {
		wait()
	}
}

// state is an http.Server's ConnState. For a new connection it is called by the
// goroutine that accepts.
func (c *connections) state(conn net.Conn, s http.ConnState) {
	switch s {
	case http.StateNew:
		if victim := c.add(conn); victim != nil {
			refuseConnection(victim, victim == conn)
		}
	case http.StateActive:
		c.busy(conn)
	case http.StateIdle:
		c.wait(conn)
	case http.StateClosed, http.StateHijacked:
		c.remove(conn)
	}
}

// add takes a connection in and returns the one that has to go for it.
func (c *connections) add(conn net.Conn) (victim net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) >= c.limit {
		first := c.waiting.Front()
		if first == nil {
			return conn // net/http says that it is closed; it was never in
		}
		victim = first.Value.(net.Conn)
		c.waiting.Remove(first)
		delete(c.open, victim)
	}
	c.open[conn] = c.waiting.PushBack(conn)
	return victim
}

func (c *connections) busy(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.open[conn]; e != nil {
		c.waiting.Remove(e)
		c.open[conn] = nil
	}
}

func (c *connections) wait(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, in := c.open[conn]; in && e == nil {
		c.open[conn] = c.waiting.PushBack(conn)
	}
}

func (c *connections) remove(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.open[conn]; e != nil {
		c.waiting.Remove(e)
	}
	delete(c.open, conn)
}

// refusal is the whole answer of a server that has no room for a connection.
const refusal = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

// refuseConnection closes a connection. A new one is told why where it can be
// done without waiting: the kernel takes so few bytes at once.
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
