package surface

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// read turns what the grants say into what can be looked up for each of many tools.
func (c *composer) read() {
	g := c.in.grants
	if g == nil {
		return
	}
	c.tools, c.namespaces, c.reserved = set(g.Tools), set(g.Namespaces), set(g.Reserved)
}

func set(all []string) map[string]bool {
	m := make(map[string]bool, len(all))
	for _, one := range all {
		m[one] = true
	}
	return m
}

// explicit reports whether the grants name a tool, or its namespace.
func (c *composer) explicit(name string) bool {
	if c.tools[name] {
		return true
	}
	for namespace := range namespacesOf(name) {
		if c.namespaces[namespace] {
			return true
		}
	}
	return false
}

// grant makes the explicit grants: they are the provenance of the tools that they name, and need
// no binding. What nobody provides has a row, too.
func (c *composer) grant() {
	if len(c.tools)+len(c.namespaces) == 0 {
		return
	}
	for _, e := range c.entries {
		if e.tier == fromNobody || !c.explicit(e.name) {
			continue
		}
		e.provenance, e.inherited = ProvenanceExplicit, ""
		if e.unbound {
			e.absent, e.unbound = c.usable(e), false
		}
	}
	for _, name := range c.in.grants.Tools {
		if c.byName[name] == nil {
			e := &entry{name: name, tier: fromNobody, provenance: ProvenanceExplicit, absent: Absence{Setup, "it is granted in " + c.grantsFile() + ", and nothing provides it"}}
			c.byName[name] = e
			c.entries = append(c.entries, e)
		}
	}
}

// usable returns why a tool of a connector cannot be called, whether the connector is bound or
// not.
func (c *composer) usable(e *entry) Absence {
	if e.tier != fromConnector {
		return Absence{}
	}
	for i := range c.bindings {
		b := c.bindings[i]
		if b.connector != nil && within(e.name, b.Namespace) {
			b.Bound = true
			return c.stateOf(&b)
		}
	}
	return Absence{}
}

// equalNames takes away the tools whose names some clients cannot tell from those of others. The
// sidecar's own tools are shown by their IDs, and keep them whatever others are called.
func (c *composer) equalNames() {
	taken := make(map[string]*entry, len(c.entries))
	var key []byte
	for _, e := range c.entries {
		if e.tier == fromCore {
			taken[string(manifest.AppendFlat(nil, tool.Shown(e.name)))] = e
		}
	}
	for _, e := range c.entries {
		if e.tier == fromCore || e.tool == nil || e.absent.Reason != "" && e.absent.Reason != Setup {
			continue
		}
		key = manifest.AppendFlat(key[:0], e.name)
		if other := taken[string(key)]; other == nil {
			taken[string(key)] = e
		} else if e.absent.Reason == "" {
			e.absent = Absence{Setup, "it is not served: clients that write _ for . cannot tell its name from " + quote(other.name) + ", which has precedence"}
		}
	}
}

// show finds out which tools are listed, and makes the snapshot of those that can be called.
func (c *composer) show() {
	c.present = make([]*manifest.Tool, 0, len(c.entries))
	for _, e := range c.entries {
		if e.tool == nil {
			continue
		}
		e.discover = c.in.preferences.surface(e.tool) == manifest.SurfaceDiscoverable && e.name != tool.Prefix+tool.SearchID
		if e.absent.Reason == "" {
			c.present = append(c.present, e.tool)
		}
	}
	if image := c.in.image.Snapshot; image != nil && same(image.Tools(), c.present) {
		c.snapshot = image
		return
	}
	c.snapshot = manifest.Compose(c.present...)
}

// same reports whether two lists have the same tools, in the same order.
func same(a, b []*manifest.Tool) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// description returns what the tool's source says of it.
func (e *entry) description() string {
	if e.tool != nil {
		return e.tool.Description
	}
	return e.text
}

// nativeName returns what the tool's source calls it, "" if that is its id. One of the sidecar's own is
// shown to models by that name.
func (e *entry) nativeName() string {
	if e.tier == fromCore {
		return tool.Shown(e.name)
	}
	if e.tool != nil {
		return nativeOf(e.tool)
	}
	return e.native
}

// row returns the row of a tool; absent is why this viewer cannot call it, or is not shown it.
func (e *entry) row(absent Absence) Row {
	r := Row{
		Name: e.name, Namespace: namespaceOf(e.name), Description: e.description(),
		Provenance: e.provenance, InheritedFrom: e.inherited,
	}
	if e.tool != nil {
		r.Source = e.tool.Source()
	}
	if native := e.nativeName(); native != "" {
		r.ExternalMappings = map[string]string{e.source(): native}
	}
	if absent.Reason != "" {
		r.Absent = &absent
	}
	return r
}

// source returns who defines the tool. What is lost comes from a connector's server.
func (e *entry) source() string {
	if e.tool != nil {
		return e.tool.Source()
	}
	_, slug, _ := strings.Cut(e.provenance, ":")
	return manifest.SourceMCP + ":" + slug
}
