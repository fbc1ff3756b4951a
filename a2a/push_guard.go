package a2a

import (
	"net/netip"
)

// privateAddress says what kind of address ip is when nobody outside may make
// us send there, "" when it is a public one. Addresses that embed another
// (IPv4-mapped, NAT64, 6to4, Teredo) are judged by that one too: a gateway would
// unpack them.
func privateAddress(ip netip.Addr) string {
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
	for _, r := range reservedRanges() {
		if r.prefix.Contains(ip) {
			return r.kind
		}
	}
	if inner, ok := embedded(ip); ok {
		if why := privateAddress(inner); why != "" {
			return why
		}
	}
	return ""
}

type addressRange struct {
	prefix netip.Prefix
	kind   string
}

// reservedRanges are those of the IANA special-purpose registries that net/netip
// has no words for. The metadata services of the clouds are in them, or
// link-local, or private: 169.254.169.254, fd00:ec2::254, 100.100.100.200,
// 168.63.129.16 and 192.0.0.192.
func reservedRanges() []addressRange {
	v4 := func(a, b, c, d byte, bits int, kind string) addressRange {
		return addressRange{netip.PrefixFrom(netip.AddrFrom4([4]byte{a, b, c, d}), bits), kind}
	}
	v6 := func(a, b, c, d byte, bits int, kind string) addressRange {
		return addressRange{netip.PrefixFrom(netip.AddrFrom16([16]byte{a, b, c, d}), bits), kind}
	}
	return []addressRange{
		v4(0, 0, 0, 0, 8, "reserved"),           // this network
		v4(100, 64, 0, 0, 10, "shared (CGNAT)"), // RFC 6598
		v4(168, 63, 129, 16, 32, "metadata"),    // Azure
		v4(192, 0, 0, 0, 24, "reserved"),        // IETF protocol assignments
		v4(192, 0, 2, 0, 24, "documentation"),
		v4(192, 88, 99, 0, 24, "reserved"), // 6to4 relays
		v4(198, 18, 0, 0, 15, "benchmarking"),
		v4(198, 51, 100, 0, 24, "documentation"),
		v4(203, 0, 113, 0, 24, "documentation"),
		v4(240, 0, 0, 0, 4, "reserved"), // broadcast too
		v6(0x01, 0, 0, 0, 64, "discard"),
		v6(0x20, 0x01, 0x0d, 0xb8, 32, "documentation"),
		v6(0x3f, 0xff, 0, 0, 20, "documentation"),
		v6(0x5f, 0, 0, 0, 16, "reserved"),   // SRv6
		v6(0xfe, 0xc0, 0, 0, 10, "private"), // site-local, deprecated
	}
}

// embedded returns the IPv4 address that an IPv6 address carries, where there
// is a convention for it.
func embedded(ip netip.Addr) (netip.Addr, bool) {
	if !ip.Is6() {
		return netip.Addr{}, false
	}
	b := ip.As16()
	at := func(i int) (netip.Addr, bool) {
		return netip.AddrFrom4([4]byte{b[i], b[i+1], b[i+2], b[i+3]}), true
	}
	switch {
	case zero(b[:12]): // IPv4-compatible, deprecated
		return at(12)
	case zero(b[:8]) && b[8] == 0xff && b[9] == 0xff && zero(b[10:12]): // IPv4-translated, RFC 2765
		return at(12)
	case b[0] == 0x00 && b[1] == 0x64 && b[2] == 0xff && b[3] == 0x9b: // NAT64: 64:ff9b::/96, and 64:ff9b:1::/48
		return at(12)
	case b[0] == 0x20 && b[1] == 0x02: // 6to4
		return at(2)
	case b[0] == 0x20 && b[1] == 0x01 && b[2] == 0 && b[3] == 0: // Teredo: the client, inverted
		return netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]}), true
	case (b[8]&^0x02) == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe: // ISATAP
		return at(12)
	}
	return netip.Addr{}, false
}

func zero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
