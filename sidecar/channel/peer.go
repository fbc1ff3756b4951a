package channel

import (
	"net"
	"os"

	"github.com/a2a-sidecar/sidecar/proc"
)

// peer is the process at the other end, as the kernel knows it: the one that
// connected, whoever has the connection now.
type peer struct {
	uid     int // -1: not known
	lineage proc.Lineage
}

// newPeer looks at who connected. It does so before anything else, for who ends
// soon.
func newPeer(nc *net.UnixConn) (p peer, err error) {
	p.uid = -1
	raw, err := nc.SyscallConn()
	if err != nil {
		return p, err
	}
	pid := 0
	var failed error
	err = raw.Control(func(fd uintptr) { pid, p.uid, failed = socketPeer(int(fd)) })
	if err == nil {
		err = failed
	}
	if err != nil {
		p.uid = -1
		return p, err
	}
	p.lineage = proc.LineageOf(pid)
	return p, nil
}

// refused says why a peer may not speak at all, nil when it may: it must be the
// agent's user, or our own.
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

// Process is what a grant is for: the agent, or the tool.
type Process interface {
	// PID is its number.
	PID() int
	// Raised reports whether a process is it, or one of its own.
	Raised(l proc.Lineage) bool
}

var _ Process = (*proc.Child)(nil)
