package netguard_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
)

func TestParseSecure(t *testing.T) {
	for address, want := range map[string]bool{
		"https://platform.example.com/mcp": true, "http://127.0.0.1:80/mcp": true, "http://[::1]/": true, "http://localhost:8080": true, "https://10.0.0.1": true,
		"http://platform.example.com": false, "http://10.0.0.1": false, "http://localhost.example.com": false, "https://user@host/": false, "https://host/#x": false,
		"ftp://localhost": false, "https://": false, "platform": false, "": false, "http://127.0.0.1.example.com": false, "%": false,
	} {
		if _, ok := netguard.ParseSecure(address); ok != want {
			t.Errorf("%q: %v, want %v", address, ok, want)
		}
	}
}
