package netguard_test

import (
	"net/netip"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
)

// Every way to write down a place that strangers must not reach is refused;
// addresses of the public internet right beside them are not (§13.2).
func TestKind(t *testing.T) {
	for ip, want := range map[string]string{
		"127.0.0.1":              "loopback",
		"127.255.255.254":        "loopback",
		"::1":                    "loopback",
		"0.0.0.0":                "unspecified",
		"::":                     "unspecified",
		"0.1.2.3":                "reserved",
		"10.0.0.1":               "private",
		"172.16.0.1":             "private",
		"172.31.255.255":         "private",
		"192.168.1.1":            "private",
		"fc00::1":                "private",
		"fd00:ec2::254":          "private", // a metadata service
		"169.254.169.254":        "link-local",
		"169.254.0.1":            "link-local",
		"fe80::1":                "link-local",
		"fe80::1%eth0":           "link-local",
		"100.64.0.1":             "shared",
		"100.100.100.200":        "shared", // a metadata service
		"100.127.255.255":        "shared",
		"168.63.129.16":          "metadata",
		"192.0.0.192":            "reserved", // a metadata service
		"192.0.2.1":              "documentation",
		"198.51.100.1":           "documentation",
		"203.0.113.1":            "documentation",
		"198.18.0.1":             "benchmarking",
		"198.19.255.255":         "benchmarking",
		"192.88.99.1":            "reserved",
		"224.0.0.1":              "multicast",
		"239.255.255.255":        "multicast",
		"ff02::1":                "multicast",
		"240.0.0.1":              "reserved",
		"255.255.255.255":        "reserved",
		"::ffff:127.0.0.1":       "loopback", // IPv4-mapped
		"::ffff:169.254.169.254": "link-local",
		"::ffff:10.0.0.1":        "private",
		"::127.0.0.1":            "reserved", // IPv4-compatible
		"::ffff:0:127.0.0.1":     "reserved", // IPv4-translated
		"64:ff9b::7f00:1":        "loopback", // NAT64
		"64:ff9b::a9fe:a9fe":     "link-local",
		"64:ff9b::a00:1":         "private",
		"64:ff9b:1::1":           "reserved", // NAT64 of a local network
		"2002:7f00:1::1":         "loopback", // 6to4
		"2002:a9fe:a9fe::":       "link-local",
		"2002:c0a8:101::1":       "private",
		"2001:0:808:808::1":      "reserved", // Teredo
		"2001:db8::1":            "documentation",
		"3fff::1":                "documentation",
		"2600::5efe:10.0.0.1":    "private", // ISATAP
		"2600::200:5efe:a00:1":   "private",
		"fec0::1":                "reserved", // site-local
		"100::1":                 "reserved", // discard
		"5f00::1":                "reserved",
		"4000::1":                "reserved", // not assigned

		"1.1.1.1":              "",
		"8.8.8.8":              "",
		"9.255.255.255":        "",
		"11.0.0.1":             "",
		"100.63.255.255":       "",
		"100.128.0.1":          "",
		"126.255.255.255":      "",
		"128.0.0.1":            "",
		"169.253.255.255":      "",
		"169.255.0.1":          "",
		"172.15.255.255":       "",
		"172.32.0.1":           "",
		"192.167.255.255":      "",
		"192.169.0.1":          "",
		"223.255.255.255":      "",
		"::ffff:8.8.8.8":       "",
		"64:ff9b::808:808":     "",
		"2002:808:808::1":      "",
		"2001:4860:4860::8888": "",
		"2606:4700:4700::1111": "",
		"2600::5efe:8.8.8.8":   "",
	} {
		if got := netguard.Kind(netip.MustParseAddr(ip)); got != want {
			t.Errorf("%s is %q, want %q", ip, got, want)
		}
	}
	if netguard.Kind(netip.Addr{}) == "" {
		t.Error("no address is a public one")
	}
}
