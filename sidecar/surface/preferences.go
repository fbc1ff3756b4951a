package surface

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// Preferences say which tools are always listed and which have to be searched for, whatever their
// definitions say. They do not change.
type Preferences struct {
	surfaces map[string]string // by pattern: manifest.SurfaceAlways or SurfaceDiscoverable
	fallback string            // "": what the definition says
}

// ParsePreferences reads a preference file. file is used in messages only. The error is
// jsontree.Faults and has everything that is wrong.
func ParsePreferences(file string, data []byte) (*Preferences, error) {
	p := &Preferences{surfaces: map[string]string{}}
	err := parse(file, data, func(d *decoder, root *jsontree.Node) {
		d.Members(root, "", []string{manifest.SurfaceAlways, manifest.SurfaceDiscoverable, "default"}, func(m *jsontree.Node, at string) {
			if m.Key == "default" {
				p.fallback = d.OneOf(m, at, manifest.SurfaceAlways, manifest.SurfaceDiscoverable)
				return
			}
			d.patterns(p, m, at)
		})
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// patterns reads the patterns of one list.
func (d *decoder) patterns(p *Preferences, n *jsontree.Node, pointer string) {
	if n.Kind == jsontree.Array && d.tooMany(n, pointer) {
		return
	}
	d.Texts(n, pointer, func(s string, e *jsontree.Node, at string) {
		if !isPattern(s) {
			d.Fault(e.Offset, at, quote(s)+" is not a pattern", `write a tool ("acme.echo"), a namespace ("acme.*") or "*"`)
			return
		}
		if other := p.surfaces[s]; other != "" && other != n.Key {
			d.Fault(e.Offset, at, quote(s)+" is in both lists", "remove it from one of them")
			return
		}
		p.surfaces[s] = n.Key
	})
}

// isPattern reports whether s is a tool's id, a namespace with ".*" after it, or "*".
func isPattern(s string) bool {
	name, namespace := strings.CutSuffix(s, ".*")
	return s == "*" || len(s) <= maxName && policy.IsName(name) && (namespace || namespaceOf(name) != name)
}

// surface returns how a tool is shown: by the most specific pattern, or as it is declared. No
// preferences leave every tool as it is. What is said of all tools is not said of the sidecar's own, which
// models know by their names: only a pattern of their namespace is.
func (p *Preferences) surface(t *manifest.Tool) string {
	if p == nil {
		return t.Surface
	}
	if s := p.surfaces[t.Name]; s != "" {
		return s
	}
	for namespace := range namespacesOf(t.Name) {
		if s := p.surfaces[namespace+".*"]; s != "" {
			return s
		}
	}
	switch {
	case t.Source() == manifest.SourceCore:
	case p.surfaces["*"] != "":
		return p.surfaces["*"]
	case p.fallback != "":
		return p.fallback
	}
	return t.Surface
}
