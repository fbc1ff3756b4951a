package netguard

import "net/netip"

// Kind returns the kind of an address that is not public, and "" for a public address. An
// address that carries an IPv4 address (mapped, NAT64, 6to4, ISATAP) is judged by the IPv4
// address, because a gateway would unpack it.
func Kind(ip netip.Addr) string {
	ip = ip.WithZone("").Unmap()
	switch {
	case !ip.IsValid():
		return "malformed"
	case ip.IsUnspecified():
		return "unspecified"
	case ip.IsLoopback():
		return "loopback"
	case ip.IsPrivate():
		return "private"
	case ip.IsLinkLocalUnicast():
		return "link-local"
	case ip.IsMulticast():
		return "multicast"
	}
	if inner, ok := embedded(ip); ok {
		return Kind(inner)
	}
	for _, r := range specialRanges() {
		if r.prefix.Contains(ip) {
			return r.kind
		}
	}
	if ip.Is6() && ip.As16()[0]>>5 != 1 { // all routed addresses are in 2000::/3
		return "reserved"
	}
	return ""
}

// addressRange is a range that is not part of the public internet.
type addressRange struct {
	prefix netip.Prefix
	kind   string
}

// specialRanges returns the ranges of the IANA special-purpose registries for which net/netip
// has no method. The metadata services of the clouds are in these ranges, or in the link-local
// and private ones.
func specialRanges() []addressRange {
	v4 := func(a, b, c, d byte, bits int, kind string) addressRange {
		return addressRange{netip.PrefixFrom(netip.AddrFrom4([4]byte{a, b, c, d}), bits), kind}
	}
	v6 := func(a, b, c, d byte, bits int, kind string) addressRange {
		return addressRange{netip.PrefixFrom(netip.AddrFrom16([16]byte{a, b, c, d}), bits), kind}
	}
	return []addressRange{
		v4(0, 0, 0, 0, 8, "reserved"),        // this network
		v4(100, 64, 0, 0, 10, "shared"),      // carrier-grade NAT; a metadata service too
		v4(168, 63, 129, 16, 32, "metadata"), // outside of any private range
		v4(192, 0, 0, 0, 24, "reserved"),     // protocol assignments; a metadata service too
		v4(192, 0, 2, 0, 24, "documentation"),
		v4(192, 88, 99, 0, 24, "reserved"), // 6to4 relays
		v4(198, 18, 0, 0, 15, "benchmarking"),
		v4(198, 51, 100, 0, 24, "documentation"),
		v4(203, 0, 113, 0, 24, "documentation"),
		v4(240, 0, 0, 0, 4, "reserved"),            // with broadcast
		v6(0x20, 0x01, 0x00, 0x00, 23, "reserved"), // protocol assignments, Teredo
		v6(0x20, 0x01, 0x0d, 0xb8, 32, "documentation"),
		v6(0x3f, 0xff, 0x00, 0x00, 20, "documentation"),
	}
}

// embedded returns the IPv4 address that an IPv6 address carries for a gateway.
func embedded(ip netip.Addr) (netip.Addr, bool) {
	if !ip.Is6() {
		return netip.Addr{}, false
	}
	b := ip.As16()
	v4 := func(i int) netip.Addr { return netip.AddrFrom4([4]byte(b[i : i+4])) }
	switch {
	case [12]byte(b[:12]) == [12]byte{0x00, 0x64, 0xff, 0x9b}: // NAT64, RFC 6052
		return v4(12), true
	case [2]byte(b[:2]) == [2]byte{0x20, 0x02}: // 6to4, RFC 3056
		return v4(2), true
	case b[0]>>5 == 1 && b[8]&^2 == 0 && [3]byte(b[9:12]) == [3]byte{0, 0x5e, 0xfe}: // ISATAP, RFC 5214
		return v4(12), true
	}
	return netip.Addr{}, false
}
