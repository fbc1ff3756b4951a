package surface_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
)

// core returns tools of the sidecar's own.
func core(t testing.TB, names ...string) *manifest.Snapshot {
	t.Helper()
	var all []*manifest.Tool
	for _, name := range names {
		made, err := manifest.Define(manifest.Definition{Name: name, Description: "own", InputSchema: json.RawMessage(`{"type":"object"}`), Core: true})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, made)
	}
	return manifest.Compose(all...)
}

// The sidecar's own tools have rows of their own, with the name that models see, and keep both of their
// names whatever a server or the image offers.
func TestCoreTools(t *testing.T) {
	const equal = ` - setup: it is not served: clients that write _ for . cannot tell its name from "core.web_fetch", which has precedence`
	for name, c := range map[string]struct {
		tiers tiers
		want  []string
	}{
		"beside others": {tiers{core: core(t, "core.read", "core.web_fetch"), image: surface.Image{Snapshot: image(t, "acme.read")}},
			[]string{"core.read core core", "core.web_fetch core core", "acme.read image manifest"}},
		"the flattened name of the image's": {tiers{core: core(t, "core.web_fetch"), image: surface.Image{Snapshot: image(t, "web.fetch")}},
			[]string{"core.web_fetch core core", "web.fetch image manifest" + equal}},
		"the flattened name of a server's": {tiers{core: core(t, "core.web_fetch"), connectors: []surface.Connector{{Slug: "web", Tools: tools(t, "web", "web.fetch")}}},
			[]string{"web.fetch connector:web mcp:web" + equal, "core.web_fetch core core"}},
		"the name, from a server that is called core": {tiers{core: core(t, "core.read"), connectors: []surface.Connector{{Slug: "core", Tools: tools(t, "core", "core.read")}}},
			[]string{"core.read core core"}},
	} {
		v := c.tiers.view()
		if diff := cmp.Diff(c.want, lines(t, v)); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		for _, r := range v.Rows(t.Context()) {
			if r.Tier() == surface.ProvenanceCore && (r.Namespace != "core" || "core."+r.ExternalMappings["core"] != r.Name) {
				t.Errorf("%s: %+v", name, r)
			}
		}
	}
}

// What is said of all tools is not said of the sidecar's own; and the one that finds tools is always
// listed.
func TestCoreToolsAreListed(t *testing.T) {
	for text, want := range map[string]string{
		`{"discoverable":["*"]}`:                             "core.read core.tool_search ",
		`{"default":"discoverable"}`:                         "core.read core.tool_search ",
		`{"discoverable":["core.*"]}`:                        "core.tool_search acme.echo ",
		`{"discoverable":["core.read","core.tool_search"]}`:  "core.tool_search acme.echo ",
		`{"discoverable":["core.*"],"always":["core.read"]}`: "core.read core.tool_search acme.echo ",
	} {
		v := tiers{core: core(t, "core.read", "core.tool_search"), image: surface.Image{Snapshot: image(t, "acme.echo")}, preferences: preferences(t, text)}.view()
		got := ""
		for _, one := range v.Listed(t.Context()) {
			got += one.Name + " "
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
