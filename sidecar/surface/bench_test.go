package surface_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
)

// many returns tiers of n tools: half are the image's, half those of ten connectors.
func many(t testing.TB, n int) tiers {
	t.Helper()
	var o tiers
	var names []string
	for i := range n / 2 {
		names = append(names, fmt.Sprintf("acme.tool_%d", i))
	}
	o.image.Snapshot = image(t, names...)
	for c := range 10 {
		slug := fmt.Sprintf("server%d", c)
		var all []*manifest.Tool
		for i := range n / 20 {
			all = append(all, tool(t, slug, fmt.Sprintf("%s.tool_%d", slug, i)))
		}
		o.connectors = append(o.connectors, surface.Connector{Slug: slug, Tools: all})
	}
	o.grants = grants(t, `{"connectors":{"server0":{},"server1":{},"server2":{}},"grants":[{"namespace":"server3"}]}`)
	return o
}

// composeLimit is how long 10,000 tools may take to become one list.
const composeLimit = 50 * time.Millisecond

func TestComposeIsFast(t *testing.T) {
	o := many(t, 10_000)
	best := time.Hour
	for range 5 { // the machine may be busy, but not each time
		began := time.Now()
		v := o.view()
		if best = min(best, time.Since(began)); len(v.Snapshot().Tools()) != 7000 {
			t.Fatalf("%d tools", len(v.Snapshot().Tools()))
		}
	}
	t.Logf("10,000 tools are composed in %v", best)
	if best > composeLimit*slow {
		t.Errorf("10,000 tools are composed in %v, want at most %v", best, composeLimit*slow)
	}
}

func BenchmarkCompose10000(b *testing.B) {
	o := many(b, 10_000)
	for b.Loop() {
		o.view()
	}
}

func BenchmarkFor(b *testing.B) {
	s := many(b, 10_000).surface()
	for b.Loop() {
		s.For(surface.Viewer{Caller: "ann"})
	}
}

func BenchmarkRows10000(b *testing.B) {
	o := many(b, 10_000)
	for b.Loop() {
		b.StopTimer()
		v := o.view()
		b.StartTimer()
		v.Rows(b.Context())
	}
}
