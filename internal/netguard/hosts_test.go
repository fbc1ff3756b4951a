package netguard_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
)

func TestHostPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern string
		allows  string // host port, separated by spaces, several by commas
		refuses string
	}{
		{"api.example.com", "api.example.com 443,API.Example.COM. 80", "api.example.com 8080,example.com 443,x.api.example.com 443,api.example.com.evil.org 443"},
		{"API.Example.com.", "api.example.com 443", ""},
		{"*.example.com", "a.example.com 443,b.example.com 80", "example.com 443,a.b.example.com 443,aexample.com 443"},
		{"a.*.example.com", "a.b.example.com 443", "b.b.example.com 443,a.b.c.example.com 443"},
		{"api.example.com:8443", "api.example.com 8443", "api.example.com 443,api.example.com 80"},
		{"api.example.com:*", "api.example.com 1,api.example.com 65535", "example.com 1"},
		{"*", "a 443,a.b.c 80", "8.8.8.8 443,2606:4700::1 443,a 22"},
		{"*:*", "a 22", "8.8.8.8 22"},
		{"8.8.8.8", "8.8.8.8 443,::ffff:8.8.8.8 80", "8.8.4.4 443,8.8.8.8 53,dns.google 443"},
		{"10.0.0.0/8:5432", "10.1.2.3 5432", "10.1.2.3 443,11.0.0.1 5432"},
		{"fd00::1", "fd00::1 443", "fd00::2 443,fd00::1 22"},
		{"[fd00::1]:22", "fd00::1 22", "fd00::1 443"},
		{"[fd00::/8]:*", "fd12::1 22", "fe80::1 22"},
		{"fd00::/8", "fd12::1 80", "fd12::1 22"},
		{"127.0.0.1:9", "127.0.0.1 9", "localhost 9,127.0.0.2 9"},
		{"localhost:9", "localhost 9", "127.0.0.1 9,a.localhost 9"},
	} {
		hosts, err := netguard.ParseHosts([]string{c.pattern})
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for want, list := range map[bool]string{true: c.allows, false: c.refuses} {
			for _, s := range strings.Split(list, ",") {
				if s == "" {
					continue
				}
				target := parseTarget(t, s)
				if err := hosts.Check(target); (err == nil) != want {
					t.Errorf("%s: %s is allowed: %v, want %v", c.pattern, s, err, want)
				}
			}
		}
	}
}

func parseTarget(t *testing.T, s string) netguard.Target {
	t.Helper()
	host, port, _ := strings.Cut(s, " ")
	ap := netip.MustParseAddrPort("0.0.0.0:" + port)
	target, err := netguard.NewTarget(host, ap.Port())
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return target
}

func TestBadHostPatterns(t *testing.T) {
	for _, bad := range []string{
		"", ".", "a..b", "*.*", "*.com.*", "a*.example.com", "https://example.com", "example.com/x", "example.com:", "example.com:0",
		"example.com:65536", "example.com:+1", "example.com:http", "127.1", "0x7f000001", "2130706433", "a.0x1", "1.2.3.4.5", "[example.com]:80", "[::1", "[::1]80",
		"[::1]:", "10.0.0.1/8", "::ffff:10.0.0.0/104", "fe80::1%eth0", "münchen.example", "a b.example", strings.Repeat("a", 64) + ".example",
		strings.Repeat("a.", 127) + "example",
	} {
		if p, err := netguard.ParseHostPattern(bad); err == nil {
			t.Errorf("%q is a pattern: %s", bad, p)
		}
	}
	if _, err := netguard.ParseHosts([]string{"ok.example", "127.1", "a..b"}); err == nil || !strings.Contains(err.Error(), `"127.1"`) || !strings.Contains(err.Error(), `"a..b"`) {
		t.Errorf("not every fault is told: %v", err)
	}
	for _, host := range []string{"127.1", "0177.0.0.1", "1.2.3", "fe80::1%eth0", "a b", "", "8.8.8.8."} {
		var refused netguard.NotAllowedError
		if target, err := netguard.NewTarget(host, 80); !errors.As(err, &refused) {
			t.Errorf("%q is a target: %v, %v", host, target, err)
		}
	}
	if _, err := netguard.NewTarget("example.com", 0); err == nil {
		t.Error("port 0 is a target")
	}
}

// What a name resolves to is judged in addition to the name.
func TestHostAddresses(t *testing.T) {
	for _, c := range []struct {
		patterns, host, address string
		allowed                 bool
	}{
		{"api.example.com", "api.example.com 443", "8.8.8.8", true},
		{"api.example.com", "api.example.com 443", "2606:4700::1", true},
		{"api.example.com", "api.example.com 443", "127.0.0.1", false},
		{"api.example.com", "api.example.com 443", "::ffff:127.0.0.1", false},
		{"api.example.com", "api.example.com 443", "169.254.169.254", false},
		{"api.example.com", "api.example.com 443", "64:ff9b::a00:1", false},
		{"api.example.com 10.0.0.0/8", "api.example.com 443", "10.1.2.3", true},
		{"api.example.com 10.0.0.0/8", "api.example.com 443", "192.168.0.1", false},
		{"api.example.com:9 10.0.0.0/8", "api.example.com 9", "10.1.2.3", false},
		{"*:*", "localhost 443", "127.0.0.1", false},
		{"localhost:9", "localhost 9", "127.0.0.1", true},
		{"localhost:9", "localhost 9", "::1", true},
		{"localhost:9", "localhost 9", "10.0.0.1", false},
		{"*.localhost", "a.localhost 80", "127.0.0.1", true},
		{"api.example.com", "api.example.com 443", "", false},
	} {
		hosts, err := netguard.ParseHosts(strings.Fields(c.patterns))
		if err != nil {
			t.Fatal(err)
		}
		var ip netip.Addr
		if c.address != "" {
			ip = netip.MustParseAddr(c.address)
		}
		target := parseTarget(t, c.host)
		if err := hosts.Check(target); err != nil {
			t.Errorf("%v", err)
		}
		if err := hosts.CheckAddress(target, ip); (err == nil) != c.allowed {
			t.Errorf("%s: %s at %s: %v, want %v", c.patterns, c.host, c.address, err, c.allowed)
		}
	}
}
