package proc

import "net/netip"

// OwnPeer reports whether the other end of a TCP connection is held by a process
// that descends from this one. Here nobody can tell.
func OwnPeer(_, _ netip.AddrPort) bool { return false }
