package proc

import (
	"net/netip"
	"slices"
	"time"
)

// PeerOf says who holds the other end of a TCP connection, of which local is our
// end. Ours is what we have started, and what descends from that: we adopt those
// that lose their parents. This process itself is not.
//
// A socket can be held where no table of files shows it: it is on its way
// between two sockets, registered with io_uring, closed already. So nobody is
// taken for another because he was not found: that he is, is either seen, or
// none of ours can have made the socket.
//
// It cannot see through a proxy, and not into other network namespaces.
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
			return PeerHidden // gone; or two that only their devices tell apart
		}
		end = found[0]
		if own = newFamily(); !own.sees {
			return PeerUnseen
		}
		if peer, ok := own.holder(end); ok {
			return peer
		}
		// One that ends has lost its files an instant before they are closed, and
		// it may have been handed on to a process that was started meanwhile.
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

// peerTries is how often processes are looked at that keep starting others, and
// peerLooks in how many looks nobody must have a socket.
const (
	peerTries = 12
	peerLooks = 3
	peerPause = 2 * time.Millisecond
)

// elsewhere reports whether an end that is not to be found is on another machine,
// or in another network namespace. One of this machine's has hung up, and so did
// our end.
func elsewhere(local, remote netip.AddrPort) bool {
	if remote.Addr().Unmap().IsLoopback() || remote.Addr().Unmap() == local.Addr().Unmap() {
		return false
	}
	ours, err := findSocket(local, remote)
	return err == nil && len(ours) > 0
}

// family is what descends from this process, among all processes.
type family struct {
	all  []process
	in   map[int]bool
	sees bool // we at least are there
}

func newFamily() family {
	all := processes()
	m := newMembers(all)
	m.add(m.kids[m.self]...)
	sees := slices.ContainsFunc(all, func(p process) bool { return p.pid == m.self })
	return family{all: all, in: m.in, sees: sees}
}

// grown reports whether there are processes that were not there before.
func (f family) grown(after family) bool {
	for pid := range after.in {
		if !f.in[pid] {
			return true
		}
	}
	return false
}

// holder says whose the process is that has the socket, when one is seen to. One
// of ours counts first. Another one counts when it can have made the socket: any
// program that takes files from others (SCM_RIGHTS) can be made to hold one.
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

// foreign doubts a holder that is in another cgroup than its socket was made in,
// when one of ours is in that.
func (f family) foreign(p process, s socket) Peer {
	if f.inCgroup(s.cgroup) {
		if his := p.cgroup(); his != noCgroup && his != s.cgroup {
			return PeerHidden
		}
	}
	return PeerOther
}

// mayHaveMade reports whether one of ours can have made the socket: it runs as
// the socket's user, as root, who can make one of any user's, or in the cgroup
// that the socket was made in.
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

// inCgroup reports whether one of ours is in the cgroup. The root of all says
// nothing.
func (f family) inCgroup(id uint64) bool {
	return id > rootCgroup && slices.ContainsFunc(f.all, func(p process) bool { return f.in[p.pid] && p.cgroup() == id })
}
