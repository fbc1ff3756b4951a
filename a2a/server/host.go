package server

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// checkHost refuses a request with a Host that nobody gave this server: a web page can make
// its name resolve to any address and would then have the same origin (DNS rebinding). A
// loopback listener serves only the machine's own names: no browser omits Host. On any
// other listener a client may use a name that the server does not know, so that only
// browsers are refused; if callers must authenticate, a page has no credentials.
func (s *Server) checkHost(r *http.Request) error {
	if s.ownHost(r.Host) {
		return nil
	}
	if s.opts.Loopback {
		return errWrongHost.With("Host %.100q is not served on a loopback address: use localhost, or set --public-url or --allowed-host", r.Host)
	}
	if s.opts.Authenticate == nil && fromBrowser(r) && !isAddress(r.Host) && !s.trustedPage(r) {
		return errWrongHost.With("web pages are not served under the name %.100q: if it is this server's, set --allowed-host or --public-url", r.Host)
	}
	return nil
}

// fromBrowser reports whether a browser seems to have sent the request. A page that reads
// from its own origin sends no Origin.
func fromBrowser(r *http.Request) bool {
	return r.Header["Origin"] != nil || r.Header["Sec-Fetch-Site"] != nil || r.Header["Referer"] != nil ||
		strings.HasPrefix(r.UserAgent(), "Mozilla/")
}

// ownHost reports whether a Host header is a name that this server surely has.
func (s *Server) ownHost(host string) bool {
	return host == "" || isLoopbackHost(host) || strings.EqualFold(host, s.publicHost) ||
		slices.ContainsFunc(s.opts.AllowedHosts, func(allowed string) bool { return isHost(host, allowed) })
}

// isHost reports whether a Host header matches allowed. If allowed has no port, any port
// matches.
func isHost(hostport, allowed string) bool {
	hostport = strings.ToLower(hostport)
	if hostport == allowed {
		return true
	}
	name, _, ok := splitHost(hostport)
	return ok && name == allowed
}

// isAddress reports whether a Host header is an address and not a name: nobody can make an
// address resolve to another one.
func isAddress(hostport string) bool {
	host, _, ok := splitHost(hostport)
	if !ok {
		return false
	}
	_, err := netip.ParseAddr(host)
	return err == nil
}

// isLoopbackHost reports whether a Host header names this machine as itself.
func isLoopbackHost(hostport string) bool {
	host, _, ok := splitHost(hostport)
	if !ok {
		return false
	}
	if host == "localhost" {
		return true
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsLoopback()
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// base returns the address on the card, without a trailing slash: the configured one, else
// the one that the client used. Forwarded headers are ignored, since anybody can send them.
func (s *Server) base(r *http.Request) string {
	if s.opts.PublicURL != "" {
		return s.opts.PublicURL
	}
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	if host, _, ok := splitHost(r.Host); ok && !isUnspecified(host) {
		return scheme + r.Host
	}
	return scheme + localAddr(r)
}

// localAddr returns the local address of the connection, for a client whose Host header
// cannot be used.
func localAddr(r *http.Request) string {
	if a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		if host, _, valid := splitHost(a.String()); valid && !isUnspecified(host) {
			return a.String()
		}
	}
	return "localhost"
}

// isUnspecified reports whether the host is 0.0.0.0 or ::, which is not the address of any
// host.
func isUnspecified(host string) bool {
	if c := host[0]; c != '0' && c != ':' {
		return false
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsUnspecified()
}

// splitHost splits host[:port] and reports whether it is well formed. The host of an IPv6
// address is returned without its brackets.
func splitHost(hostport string) (host, port string, ok bool) {
	host = hostport
	if i := strings.LastIndexByte(hostport, ':'); i >= 0 && !strings.HasSuffix(hostport, "]") {
		host, port = hostport[:i], hostport[i+1:]
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "", "", false
		}
	}
	if inner, found := strings.CutPrefix(host, "["); found {
		inner, found = strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		return inner, port, found && err == nil && addr.Is6() && addr.Zone() == ""
	}
	return host, port, isHostname(host)
}

// isHostname reports whether s is a name or an IPv4 address of 1 to 253 bytes.
func isHostname(s string) bool {
	if s == "" || len(s) > 253 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case (c == '-' || c == '.' || c == '_') && i > 0:
		default:
			return false
		}
	}
	return true
}
