package sidecar

import (
	"context"
	"net"
	"net/http"
	"net/netip"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
)

// connKey is what a request's connection is known by in its context.
type connKey struct{}

// withConn keeps a server's connections where insider finds them.
func withConn(s *http.Server) {
	before := s.ConnContext
	s.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if before != nil {
			ctx = before(ctx, c)
		}
		return context.WithValue(ctx, connKey{}, c)
	}
}

// insider refuses a request that comes from the agent, or from anything else
// that runs below us: what the agent wants to do it does not allow itself,
// whatever token it has found. One that may come from there is refused as well.
// It takes a look at all processes, and is asked only where somebody decides for
// the agent.
func insider(ctx context.Context) error {
	c, ok := ctx.Value(connKey{}).(net.Conn)
	if !ok {
		return nil // it came by no connection
	}
	switch peerOf(c) {
	case proc.PeerOwn:
		return notAllowed("the agent's own processes may not answer what it asks, or type for it")
	case proc.PeerHidden:
		return notAllowed("nobody is seen to hold this connection, and a process of the agent's may: " +
			"keep it open until the answer is there, or run the agent as a user of its own (--user)")
	case proc.PeerUnseen:
		return notAllowed("without /proc nobody can tell whether this comes from the agent: mount it, or answer from another machine")
	}
	return nil
}

// peerOf says who holds the other end.
func peerOf(c net.Conn) proc.Peer {
	local, remote, ok := addresses(c)
	if !ok {
		return proc.PeerUnseen
	}
	return proc.PeerOf(local, remote)
}

// addresses are those of a connection's two ends, ours first; not ok: it has none.
func addresses(c net.Conn) (local, remote netip.AddrPort, ok bool) {
	local, err1 := netip.ParseAddrPort(c.LocalAddr().String())
	remote, err2 := netip.ParseAddrPort(c.RemoteAddr().String())
	return local, remote, err1 == nil && err2 == nil
}

func notAllowed(why string) error {
	e := a2a.ErrInvalidRequest.With("%s", why)
	e.HTTP, e.Status, e.Reason = http.StatusForbidden, "PERMISSION_DENIED", "OWN_PROCESS"
	return e
}
