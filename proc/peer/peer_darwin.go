package peer

import "net/netip"

// Of returns who holds the other end of a TCP connection. On darwin this cannot be known,
// and it always returns Other.
func Of(_, _ netip.AddrPort) Holder { return Other }

// SameProgram reports whether the other end of a TCP connection is held by another process that
// runs our own program as our own user. On darwin this cannot be known, and it reports false.
func SameProgram(_, _ netip.AddrPort) bool { return false }
