package netguard

import (
	"net/netip"
	"slices"
	"strings"
	"syscall"
)

// Guard allows connections to public addresses and to the addresses in Allow. The zero value
// allows public addresses only. A Guard is safe for concurrent use as long as Allow is not
// changed.
type Guard struct {
	Allow []netip.Prefix
}

// Networks returns, for Guard.Allow, the addresses beyond the public ones at which an operator's
// own service can be: those of this machine and of private networks, but no link-local ones, where
// the metadata services of clouds are.
func Networks() (all []netip.Prefix) {
	for _, p := range []string{"127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"} {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}

// RefusedError is the error of a connection that was not made. Its value is the kind of the
// address.
type RefusedError string

func (e RefusedError) Error() string { return "its address is " + string(e) }

// Control is for a [net.Dialer]: it checks the address that is dialed, after every name has
// been resolved. The error is a RefusedError.
func (g *Guard) Control(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return RefusedError("unreadable")
	}
	return g.Check(ap.Addr())
}

// Check returns a RefusedError for an address to which connections are not allowed.
func (g *Guard) Check(ip netip.Addr) error {
	kind := Kind(ip)
	plain := ip.WithZone("").Unmap()
	if kind == "" || slices.ContainsFunc(g.Allow, func(p netip.Prefix) bool { return p.Contains(plain) }) {
		return nil
	}
	return RefusedError(kind)
}

// CheckHost returns a RefusedError for a host that is known to be private without asking a
// resolver, so that the person who named the host learns of it at once. A host that passes may
// still resolve to a private address; Control checks that.
func (g *Guard) CheckHost(host string) error {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	ip, err := netip.ParseAddr(host)
	switch {
	case err == nil:
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		ip = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	default:
		return nil // a name, or a notation that only a resolver understands
	}
	return g.Check(ip)
}
