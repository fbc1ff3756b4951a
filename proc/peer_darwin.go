package proc

import "net/netip"

// PeerOf says who holds the other end of a TCP connection. Here nobody can tell,
// and everybody is taken for another.
func PeerOf(_, _ netip.AddrPort) Peer { return PeerOther }
