package match

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
)

// Host is a pattern for hosts, as [netguard.HostPattern] reads it: a name in which a * is
// one label, an address or a range of addresses, with a port or :* after it. A pattern
// without a port covers 80 and 443, and touches every port.
type Host struct {
	pattern netguard.HostPattern
	labels  []string     // of a name
	prefix  netip.Prefix // of addresses
}

// ParseHost reads a pattern.
func ParseHost(s string) (Host, error) {
	if err := bounded(s); err != nil {
		return Host{}, err
	}
	p, err := netguard.ParseHostPattern(s)
	if err != nil {
		e := &Error{Message: err.Error(), Hint: "write a host, as in api.example.com, *.example.com or 10.0.0.0/8"}
		if strings.ContainsAny(s, "/ ") && !strings.HasSuffix(s, ":") {
			e.Message, e.Never = "is not a host: it never matches", true
		}
		return Host{}, e
	}
	h := Host{pattern: p}
	name, _ := hostPort(s)
	if ip, err := netip.ParseAddr(name); err == nil {
		h.prefix = netip.PrefixFrom(ip.Unmap(), ip.Unmap().BitLen())
	} else if r, err := netip.ParsePrefix(name); err == nil {
		h.prefix = r
	} else {
		h.labels = strings.Split(strings.ToLower(strings.TrimSuffix(name, ".")), ".")
	}
	return h, nil
}

// hostPort takes the port off host or host:port, and the brackets off an IPv6 address. It
// returns "" for no port.
func hostPort(s string) (host, port string) {
	if h, p, err := net.SplitHostPort(s); err == nil {
		return h, p
	}
	return strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"), ""
}

// String returns the pattern as it was written.
func (h Host) String() string { return h.pattern.String() }

// KnownHost reports whether a value is a host that patterns can be held against: an address,
// or a name in ASCII that nothing takes for an address.
func KnownHost(value string) bool {
	name, port := hostPort(value)
	if port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return false
		}
	}
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.Zone() == ""
	}
	_, err := netguard.CanonicalName(name)
	return err == nil
}

// Covers reports whether the pattern matches a host, or a host:port, and how specifically.
// A host without a port is one at 443.
func (h Host) Covers(value string) (Rank, bool) {
	name, port := hostPort(value)
	if port == "" {
		port = "443"
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return h.rank(), err == nil && h.at(name, uint16(n))
}

// Touches reports whether the pattern may match a host: at any port, if neither says one.
// A lone * touches addresses too.
func (h Host) Touches(value string) (Rank, bool) {
	name, port := hostPort(value)
	if n, err := strconv.ParseUint(port, 10, 16); err == nil && h.at(name, uint16(n)) {
		return h.rank(), true
	}
	if h.at(name, 80) && h.at(name, 443) {
		return h.rank(), true // it says no port, or every port
	}
	if mine, err := strconv.ParseUint(h.port(), 10, 16); err == nil && port == "" && h.at(name, uint16(mine)) {
		return h.rank(), true
	}
	return h.rank(), h.every() && h.port() == ""
}

// port returns the pattern's port: "" if it says none.
func (h Host) port() string {
	_, port := hostPort(h.String())
	return port
}

// every reports whether the pattern stands for all names.
func (h Host) every() bool { return len(h.labels) == 1 && h.labels[0] == "*" }

func (h Host) at(name string, port uint16) bool {
	if ip, err := netip.ParseAddr(name); err == nil {
		return h.pattern.MatchesAddress(ip, port)
	}
	name, err := netguard.CanonicalName(name)
	return err == nil && h.pattern.MatchesName(name, port)
}

func (h Host) rank() Rank {
	if h.prefix.IsValid() {
		return Rank{Exact: h.prefix.IsSingleIP(), Length: h.prefix.Bits()}
	}
	r, last := Rank{Exact: true}, -1
	for i, l := range h.labels {
		if l == "*" {
			r.Exact, last = false, i
		}
	}
	for i, l := range h.labels {
		if i > last {
			r.Length += len(l) + 1
		} else if l != "*" {
			r.Tail = true
		}
	}
	return r
}

// CoversPattern reports whether every host that another pattern matches is inside this
// one. It may say no where that is so.
func (h Host) CoversPattern(other string) (Rank, bool) {
	o, err := ParseHost(other)
	if err != nil || !h.coversPort(o.port()) {
		return Rank{}, false
	}
	return h.rank(), h.coversHosts(&o)
}

// TouchesAll reports whether Touches is true of every host that another pattern matches. It may
// say no where that is so.
func (h Host) TouchesAll(other string) (Rank, bool) {
	o, err := ParseHost(other)
	switch {
	case err != nil:
		return h.rank(), true // nobody can be sure
	case h.port() != "" && !h.coversPort(o.port()):
		return Rank{}, false
	}
	return h.rank(), h.every() && h.port() == "" || h.coversHosts(&o)
}

// coversHosts reports whether every host that another pattern matches is inside this one, at
// whatever port.
func (h Host) coversHosts(o *Host) bool {
	switch {
	case h.prefix.IsValid():
		return o.prefix.IsValid() && h.prefix.Bits() <= o.prefix.Bits() && h.prefix.Overlaps(o.prefix)
	case o.prefix.IsValid():
		return false
	}
	return h.every() || pairs(h.labels, o.labels, func(a, b string) bool { return a == "*" || a == b })
}

func (h Host) coversPort(port string) bool {
	mine := h.port()
	return mine == "*" || mine == port || mine == "" && (port == "80" || port == "443")
}

// TouchesPattern reports whether some host may be matched by both patterns.
func (h Host) TouchesPattern(other string) (Rank, bool) {
	o, err := ParseHost(other)
	switch {
	case err != nil || h.every() || o.every():
		return h.rank(), true
	case h.prefix.IsValid() || o.prefix.IsValid():
		return h.rank(), h.prefix.IsValid() && o.prefix.IsValid() && h.prefix.Overlaps(o.prefix)
	}
	return h.rank(), pairs(h.labels, o.labels, func(a, b string) bool { return a == "*" || b == "*" || a == b })
}

// pairs reports whether two lists have the same length, and all pairs are the same.
func pairs(a, b []string, same func(a, b string) bool) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(a[i], b[i]) {
			return false
		}
	}
	return true
}
