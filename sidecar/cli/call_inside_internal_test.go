package cli

import "testing"

// Another sidecar is meant only by an address that is not another way to write one's own.
func TestMeans(t *testing.T) {
	for _, one := range []struct {
		given, own string
		same       bool
	}{
		{"", "http://127.0.0.1:8999", true},
		{"http://127.0.0.1:8999", "http://127.0.0.1:8999", true},
		{"HTTP://LocalHost:8999/", "http://127.0.0.1:8999", true},
		{"127.0.0.1:8999", "http://127.0.0.1:8999", true},
		{"http://[::1]:8999", "http://[::1]:8999", true},
		{"http://localhost:8999", "http://[::1]:8999", true},
		{"https://box:443", "https://box", true},
		{"http://127.0.0.1:9000", "http://127.0.0.1:8999", false},
		{"https://127.0.0.1:8999", "http://127.0.0.1:8999", false},
		{"http://127.0.0.2:8999", "http://127.0.0.1:8999", false},
		{"http://127.0.0.1:8999/other", "http://127.0.0.1:8999", false},
		{"http://gateway:8999", "http://127.0.0.1:8999", false},
		{"http://%zz", "http://127.0.0.1:8999", false},
	} {
		if means(one.given, one.own) != one.same {
			t.Errorf("%q for %s: same %t", one.given, one.own, !one.same)
		}
	}
}
