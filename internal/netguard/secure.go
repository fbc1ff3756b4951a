package netguard

import (
	"net/netip"
	"net/url"
)

// ParseSecure reads the address of a service that is sent secrets: an https URL, or an http one of
// this machine, without a user and a fragment. ok is false for any other.
func ParseSecure(address string) (u *url.URL, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
		return nil, false
	}
	ip, _ := netip.ParseAddr(u.Hostname())
	return u, u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip.IsLoopback())
}
