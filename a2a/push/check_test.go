package push

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// What the URL itself says is refused at once, unless it is allowed.
func TestPushHostIsChecked(t *testing.T) {
	s := New(Options{Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}})
	for address, bad := range map[string]bool{
		"http://127.0.0.1/":                  true,
		"http://127.0.0.1:80/":               true,
		"http://[::1]/":                      true,
		"http://[::ffff:127.0.0.1]/":         true,
		"http://[::ffff:7f00:1]/":            true,
		"http://[fe80::1%25eth0]/":           true,
		"http://169.254.169.254/latest/meta": true,
		"http://localhost/":                  true,
		"http://LOCALHOST.:8080/":            true,
		"http://sidecar.localhost/":          true,
		"http://10.2.0.1/":                   true,
		"http://10.1.0.1/":                   false,
		"http://[::ffff:10.1.0.1]/":          false,
		"http://8.8.8.8/":                    false,
		"https://example.com/":               false,
	} {
		err := s.Check(&a2a.PushConfig{URL: address})
		if bad != errors.Is(err, a2a.ErrInvalidParams) {
			t.Errorf("%s: %v", address, err)
		}
		if bad && !strings.Contains(err.Error(), "public addresses only") {
			t.Errorf("%s: the error does not say what is: %v", address, err)
		}
	}
}

// A port that nothing can listen at would be tried for an hour.
func TestPushPorts(t *testing.T) {
	for port, good := range map[string]bool{"": true, ":1": true, ":65535": true, ":": true, ":0": false, ":65536": false, ":99999999999999999999": false} {
		if err := (&a2a.PushConfig{URL: "https://example.com" + port + "/"}).Check(); (err == nil) != good || !good && !strings.Contains(err.Error(), "65535") {
			t.Errorf("%q: %v", port, err)
		}
	}
}

// A proxy of the environment would dial in our place.
func TestPushUsesNoProxy(t *testing.T) {
	if transport, ok := New(Options{}).client.Transport.(*http.Transport); !ok || transport.Proxy != nil {
		t.Error("a proxy may be used")
	}
}
