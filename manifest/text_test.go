package manifest_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// A fault shows what is wrong in the manifest, and a terminal does not obey it.
func TestFaultsAreShownNotObeyed(t *testing.T) {
	for _, src := range []string{
		`[{"name":"acme.\u202ev\u001b[2J","description":"d","inputSchema":{"type":"object"}}]`,
		`[{"name":"acme.v","description":"d","inputSchema":{"type":"object"},"x-sidecar":{"\u202e\u001b]0;x\u0007":1}}]`,
		`[{"name":"acme.v","description":"d","inputSchema":{"type":"object","properties":{"\u202e\u001b[2J":{"type":"nothing"}}}}]`,
	} {
		_, _, err := manifest.Parse("tools.json", []byte(src), manifest.Options{})
		if err == nil || strings.ContainsAny(err.Error(), "\x1b\a\u202e") {
			t.Errorf("%s: %q", src, err)
		}
	}
}
