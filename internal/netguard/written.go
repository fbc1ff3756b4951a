package netguard

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// ParseTarget reads a host as a caller writes it: a URL with a host, HOST or HOST:PORT.
// The port is the URL's, or the usual one of its scheme (http, https, ws, wss, ftp,
// ssh); it is 0 if none is known. A URL with a user name is refused, because readers
// disagree about where its host begins.
func ParseTarget(s string) (Target, error) {
	hostport, usual := s, uint16(0)
	if strings.Contains(s, "//") {
		u, err := url.Parse(s)
		switch {
		case err != nil:
			return Target{}, fmt.Errorf("%s is not a URL: %w", quote(s), errors.Unwrap(err))
		case u.User != nil:
			return Target{}, fmt.Errorf("%s has a user name before its host", quote(u.Redacted()))
		case u.Scheme == "" || u.Host == "":
			return Target{}, fmt.Errorf("%s is not a URL with a host", quote(s))
		}
		hostport, usual = u.Host, usualPort(strings.ToLower(u.Scheme))
	}
	t, err := writtenTarget(hostport)
	if err != nil {
		return Target{}, fmt.Errorf("%s is not a host: it %w", quote(s), err)
	}
	if t.Port == 0 {
		t.Port = usual
	}
	return t, nil
}

// writtenTarget reads HOST or HOST:PORT. An IPv6 address with a port needs brackets.
func writtenTarget(s string) (Target, error) {
	host, port, bracketed, err := splitPattern(s)
	if err != nil {
		return Target{}, err
	}
	var t Target
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return Target{}, errors.New("must have a port from 1 to 65535")
		}
		t.Port = uint16(n)
	}
	ip, err := netip.ParseAddr(host)
	switch {
	case err == nil && ip.Zone() != "":
		return Target{}, errors.New("must not have a zone")
	case err == nil:
		t.Addr = ip.Unmap()
		return t, nil
	case bracketed:
		return Target{}, errors.New("has no IPv6 address in its brackets")
	}
	t.Name, err = CanonicalName(host)
	return t, err
}

func usualPort(scheme string) uint16 {
	switch scheme {
	case "http", "ws":
		return 80
	case "https", "wss":
		return 443
	case "ftp":
		return 21
	case "ssh":
		return 22
	}
	return 0
}

// String returns the target as ParseTarget reads it: HOST, or HOST:PORT if the port is
// known.
func (t Target) String() string {
	if t.Port == 0 {
		return t.Host()
	}
	return net.JoinHostPort(t.Host(), strconv.Itoa(int(t.Port)))
}

// MayReach reports whether a pattern allows the target, at its port or, if that is not
// known, at any.
func (h Hosts) MayReach(t Target) bool {
	if t.Port != 0 {
		return h.Check(t) == nil
	}
	return slices.ContainsFunc(h, func(p HostPattern) bool {
		p.ports = nil
		if t.Name == "" {
			return p.MatchesAddress(t.Addr, 0)
		}
		return p.MatchesName(t.Name, 0)
	})
}

// quotedMax bounds how much of what was written a message repeats, in bytes.
const quotedMax = 80

func quote(s string) string { return text.Quote(s, quotedMax) }
