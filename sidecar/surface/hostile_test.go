package surface_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/surface"
)

// A caller may ask for any name: one of a million segments costs no more than another one.
func TestLongNames(t *testing.T) {
	v := tiers{connectors: []surface.Connector{{Slug: "github", Problem: "gone"}}}.view()
	began := time.Now()
	for _, name := range []string{strings.Repeat("a.", 1<<20), "github." + strings.Repeat("a.", 1<<20), strings.Repeat(".", 1<<20), strings.Repeat("a", 1<<20)} {
		a, ok := v.Absent(name)
		if ok != strings.HasPrefix(name, "github.") || ok && a.Reason != surface.Setup {
			t.Errorf("%.20s: %v, %v", name, a, ok)
		}
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("it took %v", took)
	}
}
