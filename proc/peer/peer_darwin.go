package peer

import "net/netip"

// Of returns who holds the other end of a TCP connection. On darwin this cannot be known, and it
// always returns Other: none of our own processes is recognised, and what they ask for is taken
// for a request of somebody else.
func Of(_, _ netip.AddrPort) Holder { return Other }

// Find is [Of], with the process 0.
func Find(_, _ netip.AddrPort) (Holder, int) { return Other, 0 }

// SameProgram reports whether the other end of a TCP connection is held by another process that
// runs our own program as our own user. On darwin this cannot be known, and it reports false.
func SameProgram(_, _ netip.AddrPort) bool { return false }
