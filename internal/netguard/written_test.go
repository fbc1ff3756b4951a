package netguard_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
)

func TestParseTarget(t *testing.T) {
	for in, want := range map[string]string{
		"example.com": "example.com", "Example.COM.": "example.com", "example.com:8443": "example.com:8443", "localhost": "localhost", "xn--bcher-kva.example": "xn--bcher-kva.example",
		"127.0.0.1": "127.0.0.1", "127.0.0.1:80": "127.0.0.1:80", "::1": "::1", "[::1]": "::1", "[0:0::1]:80": "[::1]:80", "[::ffff:10.0.0.1]:80": "10.0.0.1:80", "2001:DB8::1": "2001:db8::1",
		"https://Example.com/a?b": "example.com:443", "http://example.com": "example.com:80", "HTTP://example.com.:8080/": "example.com:8080", "wss://a.example": "a.example:443",
		"https://[::1]/": "[::1]:443", "ssh://a.example": "a.example:22", "ftp://a.example": "a.example:21", "gopher://a.example": "a.example",
		"": "", ".": "", "a..b": "", "a b": "", "bücher.example": "", "user@example.com": "", "example.com/x": "", "a\x00b": "", "*.example.com": "",
		"127.1": "", "0x7f000001": "", "2130706433": "", "1.2.3.4.": "", "010.0.0.1": "", "fe80::1%eth0": "", "[fe80::1%25eth0]": "",
		"example.com:": "", "example.com:0": "", "example.com:65536": "", "example.com:+80": "", "example.com:80:80": "", "[example.com]": "", "[::1": "", "[::1]80": "",
		"https://user:secret@example.com/": "", "https:///path": "", "//example.com": "", "https://ex ample.com": "", "https://127.1/": "", "https://a.example:0/": "",
		"https://example.com\\@evil.example/": "", "https://EXAMPLE%2ecom/": "", "file:///etc/passwd": "", strings.Repeat("a", 64) + ".b": "",
	} {
		got, err := netguard.ParseTarget(in)
		if (err == nil) != (want != "") || err == nil && got.String() != want {
			t.Errorf("%q is %q, %v; want %q", in, got, err, want)
			continue
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the password is in %q", in, err)
		}
		if again, err := netguard.ParseTarget(got.String()); want != "" && (err != nil || again != got) {
			t.Errorf("%q is %q, which is %q, %v", in, got, again, err)
		}
	}
}

// Without a port a pattern is asked about the host alone.
func TestMayReach(t *testing.T) {
	for _, c := range []struct {
		pattern, target string
		want            bool
	}{
		{"example.com", "example.com", true}, {"example.com", "EXAMPLE.com.:443", true}, {"example.com", "example.com:22", false}, {"example.com:8443", "example.com", true},
		{"example.com:8443", "example.com:443", false}, {"*.example.com:9", "a.example.com", true}, {"*.example.com", "example.com", false},
		{"10.0.0.0/8:9", "10.1.2.3", true}, {"10.0.0.0/8", "11.1.2.3", false}, {"*", "10.1.2.3", false}, {"*", "https://any.example/", true}, {"example.com", "example.org", false},
	} {
		hosts, err := netguard.ParseHosts([]string{c.pattern})
		if err != nil {
			t.Fatal(err)
		}
		target, err := netguard.ParseTarget(c.target)
		if err != nil {
			t.Fatal(err)
		}
		if got := hosts.MayReach(target); got != c.want {
			t.Errorf("%s allows %s: %v, want %v", c.pattern, c.target, got, c.want)
		}
	}
	if (netguard.Hosts{}).MayReach(netguard.Target{Name: "example.com"}) {
		t.Error("no patterns allow a host")
	}
}
