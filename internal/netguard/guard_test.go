package netguard_test

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
)

func TestGuard(t *testing.T) {
	g := netguard.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}}
	for _, c := range []struct{ dialed, host, kind string }{
		{"127.0.0.1:80", "127.0.0.1", "loopback"},
		{"[::1]:80", "::1", "loopback"},
		{"[::ffff:127.0.0.1]:80", "::ffff:127.0.0.1", "loopback"},
		{"[fe80::1%eth0]:80", "fe80::1%eth0", "link-local"},
		{"169.254.169.254:80", "169.254.169.254", "link-local"},
		{"10.2.0.1:80", "10.2.0.1", "private"},
		{"10.1.0.1:80", "10.1.0.1", ""},
		{"[::ffff:10.1.0.1]:80", "::ffff:10.1.0.1", ""},
		{"8.8.8.8:53", "8.8.8.8", ""},
		{"somewhere", "LOCALHOST.", "unreadable"},
		{"8.8.8.8", "sidecar.localhost", "unreadable"},
	} {
		var refused netguard.RefusedError
		if err := g.Control("tcp", c.dialed, nil); errors.As(err, &refused) != (c.kind != "") || string(refused) != c.kind {
			t.Errorf("dialing %s: %v, want %q", c.dialed, err, c.kind)
		}
		if c.kind == "unreadable" {
			c.kind = "loopback"
		}
		refused = ""
		if err := g.CheckHost(c.host); errors.As(err, &refused) != (c.kind != "") || string(refused) != c.kind {
			t.Errorf("the host %s: %v, want %q", c.host, err, c.kind)
		}
	}
	if err := g.CheckHost("hook.example.com"); err != nil {
		t.Errorf("a name is resolved later: %v", err)
	}
}

func ExampleGuard() {
	guard := netguard.Guard{} // nothing but public addresses
	dialer := net.Dialer{Timeout: time.Second, Control: guard.Control}
	_, err := dialer.Dial("tcp", "127.0.0.1:80")
	var refused netguard.RefusedError
	fmt.Println(errors.As(err, &refused), refused)
	// Output: true its address is loopback
}
