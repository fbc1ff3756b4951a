package surface_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
)

// image returns a manifest of these tools; a name with a + is discoverable.
func image(t testing.TB, names ...string) *manifest.Snapshot {
	t.Helper()
	var all []string
	for _, name := range names {
		shown := manifest.SurfaceAlways
		if n, found := strings.CutSuffix(name, "+"); found {
			name, shown = n, manifest.SurfaceDiscoverable
		}
		all = append(all, fmt.Sprintf(`{"name":%q,"description":"image","inputSchema":{"type":"object"},"x-sidecar":{"surface":%q}}`, name, shown))
	}
	s, _, err := manifest.Parse("tools.json", []byte("["+strings.Join(all, ",")+"]"), manifest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tool returns a tool of the MCP server slug.
func tool(t testing.TB, slug, name string) *manifest.Tool {
	t.Helper()
	made, err := manifest.Define(manifest.Definition{
		Name: name, Description: slug, InputSchema: json.RawMessage(`{"type":"object"}`),
		External: &manifest.External{Server: slug, Name: "native-" + name, Hash: "sha256:1"}, MCP: &manifest.MCP{Server: slug, Tool: "native-" + name},
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func tools(t testing.TB, slug string, names ...string) (all []*manifest.Tool) {
	t.Helper()
	for _, name := range names {
		all = append(all, tool(t, slug, name))
	}
	return all
}

func grants(t testing.TB, text string) *surface.Grants {
	t.Helper()
	g, err := surface.ParseGrants("grants.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func preferences(t testing.TB, text string) *surface.Preferences {
	t.Helper()
	p, err := surface.ParsePreferences("surface.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tiers are what a surface of a test is made of.
type tiers struct {
	core        *manifest.Snapshot
	image       surface.Image
	connectors  []surface.Connector
	platform    *surface.Platform
	skills      *surface.Skills
	grants      *surface.Grants
	preferences *surface.Preferences
}

func (o tiers) surface() *surface.Surface {
	var connectors *surface.Connectors
	if o.connectors != nil {
		connectors = &surface.Connectors{All: o.connectors}
	}
	return surface.New(surface.Options{
		Image:       func() surface.Image { return o.image },
		Core:        func() *manifest.Snapshot { return o.core },
		Connectors:  func() *surface.Connectors { return connectors },
		Platform:    func(surface.Viewer) *surface.Platform { return o.platform },
		Skills:      func(surface.Viewer) *surface.Skills { return o.skills },
		Grants:      func() *surface.Grants { return o.grants },
		Preferences: func() *surface.Preferences { return o.preferences },
	})
}

func (o tiers) view() *surface.View { return o.surface().For(surface.Viewer{}) }

// line is a row in one line: name, provenance, source, where it is inherited from, why it is absent.
func line(r *surface.Row) string {
	words := []string{r.Name, r.Provenance}
	for _, w := range []string{r.Source, r.InheritedFrom} {
		if w != "" {
			words = append(words, w)
		}
	}
	if r.Absent != nil {
		words = append(words, "- "+r.Absent.Reason+": "+r.Absent.Text)
	}
	return strings.Join(words, " ")
}

func lines(t testing.TB, v *surface.View) (all []string) {
	t.Helper()
	for _, r := range v.Rows(t.Context()) {
		all = append(all, line(&r))
	}
	return all
}
