package netguard

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Hosts are the hosts that somebody may connect to: one pattern has to allow it. No patterns
// allow nothing. They are not changed, and may be used by many goroutines.
type Hosts []HostPattern

// ParseHosts reads patterns. The error names every pattern that is wrong.
func ParseHosts(patterns []string) (Hosts, error) {
	var all Hosts
	var faults []error
	for _, s := range patterns {
		p, err := ParseHostPattern(s)
		if err != nil {
			faults = append(faults, fmt.Errorf("host pattern %q %w", s, err))
			continue
		}
		all = append(all, p)
	}
	return all, errors.Join(faults...)
}

// NotAllowedError is the error of a host to which no pattern allows a connection. Its value
// says why.
type NotAllowedError string

func (e NotAllowedError) Error() string { return string(e) }

// Target is a host as it was asked for: a canonical name, or an address.
type Target struct {
	Name string     // "" for an address
	Addr netip.Addr // invalid for a name
	Port uint16
}

// NewTarget reads a host, a name or an address without brackets. The error is a
// NotAllowedError.
func NewTarget(host string, port uint16) (Target, error) {
	if port == 0 {
		return Target{}, NotAllowedError("there is no port 0")
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.Zone() != "" {
			return Target{}, NotAllowedError("an address must not have a zone")
		}
		return Target{Addr: ip.Unmap(), Port: port}, nil
	}
	name, err := CanonicalName(host)
	if err != nil {
		return Target{}, NotAllowedError("the host " + err.Error())
	}
	return Target{Name: name, Port: port}, nil
}

// Host returns the name, or the address.
func (t Target) Host() string {
	if t.Name != "" {
		return t.Name
	}
	return t.Addr.String()
}

// Check judges what was asked for, before a name is resolved. The error is a NotAllowedError.
func (h Hosts) Check(t Target) error {
	if t.Name == "" {
		if h.hasAddress(t.Addr, t.Port) {
			return nil
		}
		return NotAllowedError("no pattern allows this address at this port")
	}
	if slices.ContainsFunc(h, func(p HostPattern) bool { return p.MatchesName(t.Name, t.Port) }) {
		return nil
	}
	return NotAllowedError("no pattern allows this host at this port")
}

// CheckAddress judges an address that the target's name was resolved to, or the target's own.
// Check must have allowed the target. The error is a NotAllowedError.
func (h Hosts) CheckAddress(t Target, ip netip.Addr) error {
	kind := Kind(ip)
	local := kind == "loopback" && (t.Name == "localhost" || strings.HasSuffix(t.Name, ".localhost"))
	if t.Name != "" && (kind == "" || local && h.names(t)) || h.hasAddress(ip, t.Port) {
		return nil
	}
	return NotAllowedError("its address is " + kind + ", which a pattern of addresses has to allow")
}

// names reports whether a pattern spells the target's name out: "every name" does not include
// those of this machine.
func (h Hosts) names(t Target) bool {
	return slices.ContainsFunc(h, func(p HostPattern) bool { return !p.every && p.MatchesName(t.Name, t.Port) })
}

func (h Hosts) hasAddress(ip netip.Addr, port uint16) bool {
	return slices.ContainsFunc(h, func(p HostPattern) bool { return p.MatchesAddress(ip, port) })
}
