package netguard

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// HostPattern says which hosts, at which ports, somebody may connect to:
//
//	api.example.com         that name
//	*.example.com           a * stands for exactly one label
//	*                       every name; an address has no name
//	10.1.2.3, fd00::1       that address, and a name that resolves to it if another pattern has the name
//	10.0.0.0/8, fd00::/8    the addresses of a range
//	…:8443, [fd00::1]:8443  at that port only; :* is every port. Without a port: 80 and 443
//
// Names are compared without regard to case or a final dot. A pattern of names never allows an
// address that is not public: a pattern of addresses has to say so. The one exception are
// localhost and the names below it, which mean the loopback.
type HostPattern struct {
	text   string
	labels []string     // of a name, "*" for any label; nil for a pattern of addresses
	every  bool         // every name
	prefix netip.Prefix // of a pattern of addresses
	ports  []uint16     // nil: every port
}

// ParseHostPattern reads a pattern. The error says what is wrong with it, without its text.
func ParseHostPattern(s string) (HostPattern, error) {
	p := HostPattern{text: s}
	host, port, bracketed, err := splitPattern(s)
	if err != nil {
		return HostPattern{}, err
	}
	if p.ports, err = patternPorts(port); err != nil {
		return HostPattern{}, err
	}
	if prefix, ok, err := parseRange(host); ok || err != nil {
		p.prefix = prefix
		return p, err
	}
	if bracketed {
		return HostPattern{}, errors.New("has no IPv6 address in its brackets")
	}
	if host == "*" {
		p.every = true
		return p, nil
	}
	if _, err := CanonicalName(strings.ReplaceAll(host, "*", "w")); err != nil {
		return HostPattern{}, err
	}
	p.labels = strings.Split(strings.ToLower(strings.TrimSuffix(host, ".")), ".")
	for _, l := range p.labels {
		if strings.Contains(l, "*") && l != "*" {
			return HostPattern{}, errors.New("has a * that is only a part of a label: a * stands for a whole one")
		}
	}
	if p.labels[len(p.labels)-1] == "*" {
		return HostPattern{}, errors.New("has a * as its last label: name the domain")
	}
	return p, nil
}

// splitPattern takes the port off a pattern. The brackets of an IPv6 address are taken off too.
func splitPattern(s string) (host, port string, bracketed bool, err error) {
	if rest, ok := strings.CutPrefix(s, "["); ok {
		host, after, closed := strings.Cut(rest, "]")
		port, hasPort := strings.CutPrefix(after, ":")
		if !closed || after != "" && (!hasPort || port == "") {
			return "", "", false, errors.New("must be [address]:port")
		}
		return host, port, true, nil
	}
	if strings.Count(s, ":") != 1 {
		return s, "", false, nil // no port, or an IPv6 address without one
	}
	host, port, _ = strings.Cut(s, ":")
	if port == "" {
		return "", "", false, errors.New("has no port after its colon")
	}
	return host, port, false, nil
}

func patternPorts(port string) ([]uint16, error) {
	switch port {
	case "":
		return []uint16{80, 443}, nil
	case "*":
		return nil, nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || port[0] == '+' {
		return nil, errors.New("must have a port from 1 to 65535, or *")
	}
	return []uint16{uint16(n)}, nil
}

// parseRange reads an address or a range of addresses; ok is false for a name.
func parseRange(host string) (p netip.Prefix, ok bool, err error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.Zone() != "" {
			return p, false, errors.New("must not have a zone")
		}
		ip = ip.Unmap()
		return netip.PrefixFrom(ip, ip.BitLen()), true, nil
	}
	if !strings.Contains(host, "/") {
		return p, false, nil
	}
	p, err = netip.ParsePrefix(host)
	switch {
	case err != nil || p.Addr().Is4In6():
		return p, false, errors.New("must be a range of addresses such as 10.0.0.0/8")
	case p != p.Masked():
		return p, false, fmt.Errorf("has bits after its prefix: write %s", p.Masked())
	}
	return p, true, nil
}

// String returns the pattern as it was written.
func (p HostPattern) String() string { return p.text }

// MatchesName reports whether the pattern allows a name at a port. The name must be canonical.
func (p HostPattern) MatchesName(name string, port uint16) bool {
	if p.prefix.IsValid() || !p.hasPort(port) {
		return false
	}
	if p.every {
		return true
	}
	labels := strings.Split(name, ".")
	return slices.EqualFunc(p.labels, labels, func(want, l string) bool { return want == "*" || want == l })
}

// MatchesAddress reports whether the pattern allows an address at a port by itself.
func (p HostPattern) MatchesAddress(ip netip.Addr, port uint16) bool {
	return p.prefix.IsValid() && ip.Zone() == "" && p.prefix.Contains(ip.Unmap()) && p.hasPort(port)
}

func (p HostPattern) hasPort(port uint16) bool {
	return p.ports == nil || slices.Contains(p.ports, port)
}

const (
	maxName  = 253 // bytes of a name, RFC 1035
	maxLabel = 63
)

// CanonicalName returns a host's name in lower case, without a final dot. An error says why it
// is no name: an address is none, nor is any of the notations (127.1, 0x7f000001) that a
// resolver would take for one.
func CanonicalName(host string) (string, error) {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if name == "" || len(name) > maxName {
		return "", errors.New("must have a name of 1 to 253 bytes")
	}
	labels := strings.Split(name, ".")
	for _, l := range labels {
		if l == "" || len(l) > maxLabel {
			return "", errors.New("must have labels of 1 to 63 bytes")
		}
		for i := range len(l) {
			if c := l[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return "", errors.New("must have letters, digits, - and _ in its labels; a name in another script begins with xn--")
			}
		}
	}
	last := labels[len(labels)-1]
	if _, err := strconv.ParseUint(last, 0, 64); err == nil || strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return "", errors.New("must not end in a number: it would be read as an address")
	}
	return name, nil
}
