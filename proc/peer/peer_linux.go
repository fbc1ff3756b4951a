package peer

import (
	"net/netip"
	"os"
	"slices"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
)

// Of returns who holds the other end of a TCP connection; local is our end. PeerOwn is a
// process that we started or that descends from one that we started: we adopt those that lose
// their parents. This process itself is not PeerOwn.
//
// A process can hold a socket that no file table shows: the socket is being sent between two
// sockets, is registered with io_uring, or is already closed. So a peer is not PeerOther just
// because no holder was found. It is PeerOther only if the holder was seen to be another
// process, or if none of our processes can have made the socket.
//
// PeerOf cannot see through a proxy, nor into other network namespaces.
func Of(local, remote netip.AddrPort) Holder {
	var own family
	var end socket
	alone := 0
	for try := 0; try < peerTries && alone < peerLooks; try++ {
		found, err := findSocket(remote, local)
		switch {
		case err != nil:
			return Unseen
		case len(found) == 0 && try == 0 && elsewhere(local, remote):
			return Other
		case len(found) != 1 || found[0].inode == 0:
			return Hidden // it is gone, or there are two that differ only in their device
		}
		end = found[0]
		if own = newFamily(); !own.sees {
			return Unseen
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
		return Hidden
	}
	return Other
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
	all  []procfs.Process
	own  *procfs.Descendants
	sees bool // we see at least ourselves
}

func newFamily() family {
	all := procfs.All()
	own := procfs.NewDescendants(all)
	own.AddOwn()
	self := os.Getpid()
	sees := slices.ContainsFunc(all, func(p procfs.Process) bool { return p.PID == self })
	return family{all: all, own: own, sees: sees}
}

// has reports whether a process descends from this process.
func (f family) has(p procfs.Process) bool { return f.own.Has(p.PID) }

// grown reports whether after has descendants of ours that f does not have.
func (f family) grown(after family) bool {
	return slices.ContainsFunc(after.all, func(p procfs.Process) bool { return after.has(p) && !f.has(p) })
}

// holder returns who holds the socket, if a holder is seen. It looks at our own processes
// first. Another process counts only if it can have made the socket, because any program that
// accepts files from others (SCM_RIGHTS) can be made to hold one.
func (f family) holder(s socket) (peer Holder, ok bool) {
	var others []procfs.Process
	for _, p := range f.all {
		switch {
		case !f.has(p):
			others = append(others, p)
		case p.HasSocket(s.inode):
			return Own, true
		}
	}
	for _, p := range others {
		if p.HasSocketInMain(s.inode) {
			return f.foreign(p, s), true
		}
	}
	for _, p := range others {
		if p.Threads > 1 && p.HasSocket(s.inode) {
			return f.foreign(p, s), true
		}
	}
	return 0, false
}

// foreign returns PeerOther for a holder that is not ours. It returns PeerHidden if the holder
// is not in the cgroup in which the socket was made and one of our processes is in that cgroup.
func (f family) foreign(p procfs.Process, s socket) Holder {
	if f.inCgroup(s.cgroup) {
		if his := cgroupOf(p.PID); his != noCgroup && his != s.cgroup {
			return Hidden
		}
	}
	return Other
}

// mayHaveMade reports whether one of our processes can have made the socket: it runs as the
// socket's user, or as root (who can make a socket of any user), or in the cgroup in which the
// socket was made.
func (f family) mayHaveMade(s socket) bool {
	for _, p := range f.all {
		if !f.has(p) || p.Zombie() {
			continue
		}
		if uids := procfs.UIDs(p.PID); slices.Contains(uids, s.uid) || slices.Contains(uids, 0) {
			return true
		}
	}
	return f.inCgroup(s.cgroup)
}

// inCgroup reports whether one of our processes is in the cgroup. The root cgroup does not
// count, because it tells nothing.
func (f family) inCgroup(id uint64) bool {
	return id > rootCgroup && slices.ContainsFunc(f.all, func(p procfs.Process) bool { return f.has(p) && cgroupOf(p.PID) == id })
}
