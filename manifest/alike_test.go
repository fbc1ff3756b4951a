package manifest_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// Two names that clients cannot tell apart are a fault, and a name that some shorten is a warning.
func TestNamesAreClients(t *testing.T) {
	of := func(names ...string) string {
		var all []string
		for _, name := range names {
			all = append(all, `{"name":"`+name+`","description":"d","inputSchema":{"type":"object"}}`)
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	_, _, err := manifest.Parse("tools.json", []byte(of("acme.a_b", "acme_a.b")), manifest.Options{})
	if err == nil || !strings.Contains(err.Error(), `"acme_a.b" and "acme.a_b" at /0 are one name to MCP clients`) || !strings.Contains(err.Error(), "/1/name") {
		t.Errorf("two names that are one: %v", err)
	}
	if _, _, err := manifest.Parse("tools.json", []byte(of("acme.a_b", "acme.ab")), manifest.Options{}); err != nil {
		t.Errorf("two names that are two: %v", err)
	}
	for name, want := range map[string]int{"acme." + strings.Repeat("x", 46): 0, "acme." + strings.Repeat("x", 47): 1} {
		_, warnings, err := manifest.Parse("tools.json", []byte(of(name)), manifest.Options{})
		if err != nil || len(warnings) != want {
			t.Errorf("%d characters: %v, %v", len(name), warnings, err)
		}
	}
}
