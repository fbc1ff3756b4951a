package proc

import "net/netip"

// KinPeer reports whether the other end of a TCP connection is held by another
// process that runs our own program as our own user. Here nobody can tell.
func KinPeer(_, _ netip.AddrPort) bool { return false }
