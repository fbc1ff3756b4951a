package peer

import (
	"net/netip"
	"time"
)

// Of returns who holds the other end of a TCP connection; local is our end. It is Own for a
// process that we started or that descends from one that we started: we adopt those that lose
// their parents. This process itself is not Own.
//
// A process can hold a socket that no file table shows: the socket is being sent between two
// sockets, is registered with io_uring, or is already closed. So Of does not return Other just
// because it found no holder. It returns Other only if the holder was seen to be another
// process, or if none of our processes can have made the socket.
//
// Of cannot see through a proxy, nor into other network namespaces.
func Of(local, remote netip.AddrPort) Holder {
	holder, _ := Find(local, remote)
	return holder
}

// Find is [Of], and returns the process that was seen to hold the other end, 0 if it was not
// seen. The process may have ended meanwhile.
func Find(local, remote netip.AddrPort) (Holder, int) {
	var now snapshot
	var end socket
	empty := 0
	for try := 0; try < maxLooks && empty < emptyLooks; try++ {
		found, err := findSocket(remote, local)
		switch {
		case err != nil:
			return Unseen, 0
		case len(found) == 0 && try == 0 && elsewhere(local, remote):
			return Other, 0
		case len(found) != 1 || found[0].inode == 0:
			return Hidden, 0 // it is gone, or there are two that differ only in their device
		}
		end = found[0]
		if now = newSnapshot(); !now.sees {
			return Unseen, 0
		}
		if holder, pid, ok := now.holder(end); ok {
			return holder, pid
		}
		// A process that is ending loses its file table a moment before its files are closed.
		// It may also have passed the socket to a process that was started meanwhile.
		if !now.grown(newSnapshot()) {
			empty++
		}
		<-time.After(lookPause)
	}
	if empty < emptyLooks || now.mayHaveMade(end) {
		return Hidden, 0
	}
	return Other, 0
}

// maxLooks is how often we look at processes that keep starting others. emptyLooks is in how
// many looks no process must hold the socket.
const (
	maxLooks   = 12
	emptyLooks = 3
	lookPause  = 2 * time.Millisecond
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
