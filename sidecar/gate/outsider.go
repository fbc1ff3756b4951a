package gate

import (
	"context"
	"net"
	"net/http"
	"net/netip"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc/peer"
)

// connKey is what a request's connection is known by in its context.
type connKey struct{}

// KeepConnections keeps the connection of each of the server's requests in the
// request's context, where Outsider finds it. It is called before the server serves.
func KeepConnections(s *http.Server) {
	before := s.ConnContext
	s.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if before != nil {
			ctx = before(ctx, c)
		}
		return context.WithValue(ctx, connKey{}, c)
	}
}

// Outsider returns an error when the request comes from the agent, or from anything
// else that runs below the sidecar, or when it may: the agent does not allow itself
// what it wants to do, whatever token it has found. A request without a connection
// comes from the sidecar itself. Outsider looks at all processes, so it is for the
// rare requests that decide for the agent.
func Outsider(ctx context.Context) error {
	c, ok := ctx.Value(connKey{}).(net.Conn)
	if !ok {
		return nil
	}
	switch peerOf(c) {
	case peer.Own:
		return notAllowed("the agent's own processes may not answer what it asks, or type for it")
	case peer.Hidden:
		return notAllowed("nobody is seen to hold this connection, and a process of the agent's may: " +
			"keep it open until the answer is there, or run the agent as a user of its own (--user)")
	case peer.Unseen:
		return notAllowed("without /proc nobody can tell whether this comes from the agent: mount it, or answer from another machine")
	}
	return nil
}

// Kin reports whether the request comes from the sidecar's own program, run by the
// sidecar's own user on the same machine.
func Kin(ctx context.Context) bool {
	c, ok := ctx.Value(connKey{}).(net.Conn)
	if !ok {
		return false
	}
	local, remote, ok := addresses(c)
	return ok && peer.SameProgram(local, remote)
}

// peerOf returns who holds the other end of c.
func peerOf(c net.Conn) peer.Holder {
	local, remote, ok := addresses(c)
	if !ok {
		return peer.Unseen
	}
	return peer.Of(local, remote)
}

// addresses returns those of c's two ends, ours first; ok is false when it has none.
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
