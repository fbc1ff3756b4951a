package proc

import (
	"net/netip"
	"slices"
	"time"
)

// PeerOf returns who holds the other end of a TCP connection; local is our end. PeerOwn is a
// process that we started or that descends from one that we started: we adopt those that lose
// their parents. This process itself is not PeerOwn.
//
// A process can hold a socket that no file table shows: the socket is being sent between two
// sockets, is registered with io_uring, or is already closed. So a peer is not PeerOther just
// because no holder was found. It is PeerOther only if the holder was seen to be another
// process, or if none of our processes can have made the socket.
//
// PeerOf cannot see through a proxy, nor into other network namespaces.
func PeerOf(local, remote netip.AddrPort) Peer {
	var own family
	var end socket
	alone := 0
	for try := 0; try < peerTries && alone < peerLooks; try++ {
		found, err := findSocket(remote, local)
		switch {
		case err != nil:
			return PeerUnseen
		case len(found) == 0 && try == 0 && elsewhere(local, remote):
			return PeerOther
		case len(found) != 1 || found[0].inode == 0:
			return PeerHidden // it is gone, or there are two that differ only in their device
		}
		end = found[0]
		if own = newFamily(); !own.sees {
			return PeerUnseen
		}
		if peer, ok := own.holder(end); ok {
			return peer
		}
		// A process that is ending loses its file table a moment before its files are closed.
		// It may also have passed the socket to a process that was started meanwhile.
		if !own.grown(newFamily()) {
			alone++
		}
		<-time.After(peerPause)
	}
	if alone < peerLooks || own.mayHaveMade(end) {
		return PeerHidden
	}
	return PeerOther
}

// peerTries is how often we look at processes that keep starting others. peerLooks is in how
// many looks no process must hold the socket.
const (
	peerTries = 12
	peerLooks = 3
	peerPause = 2 * time.Millisecond
)

// elsewhere reports whether an end that was not found is on another machine or in another
// network namespace. If the end is on this machine and was not found, it has hung up, and so
// has our end.
func elsewhere(local, remote netip.AddrPort) bool {
	if remote.Addr().Unmap().IsLoopback() || remote.Addr().Unmap() == local.Addr().Unmap() {
		return false
	}
	ours, err := findSocket(local, remote)
	return err == nil && len(ours) > 0
}

// family is the set of all processes, and which of them descend from this process.
type family struct {
	all  []process
	in   map[int]bool
	sees bool // we see at least ourselves
}

func newFamily() family {
	all := processes()
	m := newMembers(all)
	m.add(m.kids[m.self]...)
	sees := slices.ContainsFunc(all, func(p process) bool { return p.pid == m.self })
	return family{all: all, in: m.in, sees: sees}
}

// grown reports whether after has descendants of ours that f does not have.
func (f family) grown(after family) bool {
	for pid := range after.in {
		if !f.in[pid] {
			return true
		}
	}
	return false
}

// holder returns who holds the socket, if a holder is seen. It looks at our own processes
// first. Another process counts only if it can have made the socket, because any program that
// accepts files from others (SCM_RIGHTS) can be made to hold one.
func (f family) holder(s socket) (peer Peer, ok bool) {
	var others []process
	for _, p := range f.all {
		switch {
		case !f.in[p.pid]:
			others = append(others, p)
		case p.holds(s.inode):
			return PeerOwn, true
		}
	}
	for _, p := range others {
		if p.holdsFirst(s.inode) {
			return f.foreign(p, s), true
		}
	}
	for _, p := range others {
		if p.threads > 1 && p.holds(s.inode) {
			return f.foreign(p, s), true
		}
	}
	return 0, false
}

// foreign returns PeerOther for a holder that is not ours. It returns PeerHidden if the holder
// is not in the cgroup in which the socket was made and one of our processes is in that cgroup.
func (f family) foreign(p process, s socket) Peer {
	if f.inCgroup(s.cgroup) {
		if his := cgroupOf(p.pid); his != noCgroup && his != s.cgroup {
			return PeerHidden
		}
	}
	return PeerOther
}

// mayHaveMade reports whether one of our processes can have made the socket: it runs as the
// socket's user, or as root (who can make a socket of any user), or in the cgroup in which the
// socket was made.
func (f family) mayHaveMade(s socket) bool {
	for _, p := range f.all {
		if !f.in[p.pid] || p.zombie() {
			continue
		}
		if uids := uidsOf(p.pid); slices.Contains(uids, s.uid) || slices.Contains(uids, 0) {
			return true
		}
	}
	return f.inCgroup(s.cgroup)
}

// inCgroup reports whether one of our processes is in the cgroup. The root cgroup does not
// count, because it tells nothing.
func (f family) inCgroup(id uint64) bool {
	return id > rootCgroup && slices.ContainsFunc(f.all, func(p process) bool { return f.in[p.pid] && cgroupOf(p.pid) == id })
}
