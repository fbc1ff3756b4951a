package gate

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc/peer"
)

// connKey is what a request's connection is known by in its context.
type connKey struct{}

// connection is a connection, and who holds its other end once somebody has asked.
type connection struct {
	net.Conn
	mu     sync.Mutex
	known  bool
	holder peer.Holder
	pid    int
}

// peer returns who holds the other end, and with which process, 0 if that is not known.
// An answer that found somebody stays for as long as the connection does.
func (c *connection) peer() (peer.Holder, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known {
		return c.holder, c.pid
	}
	local, remote, ok := addresses(c)
	if !ok {
		return peer.Unseen, 0
	}
	c.holder, c.pid = peer.Find(local, remote)
	c.known = c.holder == peer.Own || c.holder == peer.Other
	return c.holder, c.pid
}

// KeepConnections keeps the connection of each of the server's requests in the
// request's context, where Outsider finds it. It is called before the server serves.
func KeepConnections(s *http.Server) {
	before := s.ConnContext
	s.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if before != nil {
			ctx = before(ctx, c)
		}
		return context.WithValue(ctx, connKey{}, &connection{Conn: c})
	}
}

// Outsider returns an error when the request comes from the agent, or from anything
// else that runs below the sidecar, or when it may: the agent does not allow itself
// what it wants to do, whatever token it has found. A request without a connection
// comes from the sidecar itself. Outsider looks at all processes, once for each
// connection, so it is for the rare requests that decide for the agent.
func Outsider(ctx context.Context) error {
	c, ok := ctx.Value(connKey{}).(*connection)
	if !ok {
		return nil
	}
	holder, _ := c.peer()
	switch holder {
	case peer.Own:
		return NotAllowed("the agent's own processes may not answer what it asks, or type for it")
	case peer.Hidden:
		return NotAllowed("nobody is seen to hold this connection, and a process of the agent's may: " +
			"keep it open until the answer is there, or run the agent as a user of its own (--user)")
	case peer.Unseen:
		return NotAllowed("without /proc nobody can tell whether this comes from the agent: mount it, or answer from another machine")
	}
	return nil
}

// Ours reports whether the request comes from a process that runs below the sidecar, or
// may: one that hides counts, and on a machine where no process is seen every one does.
// The process is 0 if it is not known. A request without a connection comes from the
// sidecar itself. Ours looks at all processes, once for each connection.
func Ours(ctx context.Context) (pid int, ours bool) {
	c, ok := ctx.Value(connKey{}).(*connection)
	if !ok {
		return 0, false
	}
	holder, pid := c.peer()
	if holder == peer.Other {
		return 0, false
	}
	return pid, true
}

// Kin reports whether the request comes from the sidecar's own program, run by the
// sidecar's own user on the same machine.
func Kin(ctx context.Context) bool {
	c, ok := ctx.Value(connKey{}).(*connection)
	if !ok {
		return false
	}
	local, remote, ok := addresses(c)
	return ok && peer.SameProgram(local, remote)
}

// addresses returns those of c's two ends, ours first; ok is false when it has none.
func addresses(c net.Conn) (local, remote netip.AddrPort, ok bool) {
	local, err1 := netip.ParseAddrPort(c.LocalAddr().String())
	remote, err2 := netip.ParseAddrPort(c.RemoteAddr().String())
	return local, remote, err1 == nil && err2 == nil
}

// NotAllowed returns the error of a request of the agent that only others may make.
func NotAllowed(why string) error {
	e := a2a.ErrInvalidRequest.With("%s", why)
	e.HTTP, e.Status, e.Reason = http.StatusForbidden, "PERMISSION_DENIED", "OWN_PROCESS"
	return e
}
