package config_test

import (
	"slices"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// An origin is compared with what browsers send, which is never a scheme's own port.
func TestOrigins(t *testing.T) {
	loaded, err := config.Load(config.Sources{
		Args:  []string{"cat"},
		Flags: map[string][]string{"cors": {"https://Chat.example.com:443,http://a:80", "https://b:8443/"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := loaded.Config.CORS, []string{"https://chat.example.com", "http://a", "https://b:8443"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
