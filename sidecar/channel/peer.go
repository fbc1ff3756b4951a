package channel

import (
	"net"
	"os"

	"github.com/a2a-sidecar/sidecar/proc"
	unixpeer "github.com/a2a-sidecar/sidecar/proc/peer"
	"github.com/a2a-sidecar/sidecar/proc/tree"
)

// peer is the process at the other end, as the kernel knows it. It is the process
// that connected, even if another one has the connection now.
type peer struct {
	uid     int // -1 if not known
	lineage tree.Lineage
	// joined is the grant in whose name the connection was made (Server.Join), nil for the
	// connection of a process.
	joined *Grant
}

// program returns the key under which a peer without a token is counted.
func (p peer) program() int {
	if p.joined != nil {
		return -p.joined.number
	}
	return p.lineage.Top()
}

// newPeer finds out which process connected. It does so before anything else,
// because that process may end soon.
func newPeer(nc *net.UnixConn) (p peer, err error) {
	pid, uid, err := unixpeer.Unix(nc)
	if err != nil {
		return peer{uid: -1}, err
	}
	return peer{uid: uid, lineage: tree.LineageOf(pid)}, nil
}

// refused returns why a peer may not speak at all, or nil if it may. The peer must
// run as the agent's user, or as our own.
func (s *Server) refused(p peer) *Error {
	if p.uid >= 0 && (p.uid == os.Geteuid() || s.opts.UID >= 0 && p.uid == s.opts.UID) {
		return nil
	}
	want := os.Geteuid()
	if s.opts.UID >= 0 {
		want = s.opts.UID
	}
	return ErrDenied.With("not allowed: process %d runs as uid %d, the agent as %d", p.lineage.PID(), p.uid, want)
}

// Process is the process that a grant is for: the agent, or the tool.
type Process interface {
	// PID is the process's id.
	PID() int
	// Owns reports whether l is this process, or one that belongs to it.
	Owns(l tree.Lineage) bool
}

var _ Process = (*proc.Child)(nil)
