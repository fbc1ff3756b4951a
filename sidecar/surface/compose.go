package surface

import (
	"maps"
	"slices"
	"sync"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
)

// inputs are what a composition is made of. Equal inputs make equal compositions.
type inputs struct {
	image       Image
	core        *manifest.Snapshot
	connectors  *Connectors
	platform    *Platform
	skills      *Skills
	grants      *Grants
	preferences *Preferences
}

// tier ranks who provides a tool, the highest first.
type tier uint8

const (
	fromConnector tier = iota
	fromPlatform
	fromCore
	fromImage
	fromSkill
	fromNobody // an explicit grant of a tool that nobody provides
)

// entry is one tool of a composition.
type entry struct {
	name       string
	tier       tier
	tool       *manifest.Tool // nil: there is no definition
	text       string         // the description of one that has none
	native     string         // its name where it comes from, of one that has none
	provenance string
	inherited  string
	absent     Absence // the zero Absence: it can be called by its name
	unbound    bool    // it is absent because it is not granted; an explicit grant helps
	yields     bool    // it is absent, and any other tool may have its name
	discover   bool    // it is not listed
}

// composition is the one list that the tiers make. It does not change.
type composition struct {
	in       inputs
	entries  []*entry
	byName   map[string]*entry
	present  []*manifest.Tool // of entries, without those that are absent
	snapshot *manifest.Snapshot
	// discoverable are those of present that are not listed but searched for.
	discoverable func() *manifest.Snapshot
	spaces       map[string]Absence // the namespaces in which no tool can be called, known or not
	lost         []Lost             // what is not served and cannot have a row of its own, for another tool has that name
	listings     listings
}

// composer makes a composition.
type composer struct {
	*composition
	bindings []binding
	// What the grants say, by name or namespace.
	claims                      map[string]*binding // of the connectors that bring no tools
	tools, namespaces, reserved map[string]bool
}

// binding is a connector as the grants have it.
type binding struct {
	Binding
	slug      string
	connector *Connector // nil: it brings no tools; those of the image's in its namespace are its
}

// provenance returns the provenance of the connector's tools.
func (b *binding) provenance() string { return ProvenanceConnector + ":" + b.slug }

// compose makes the list.
func compose(in inputs) *composition {
	c := &composer{composition: &composition{in: in, spaces: map[string]Absence{}}}
	c.byName = make(map[string]*entry, c.size())
	c.read()
	c.bind()
	c.addConnectors()
	c.addPlatform()
	c.addCore()
	c.addImage()
	c.addSkills()
	c.grant()
	c.equalNames()
	c.show()
	c.discoverable = sync.OnceValue(c.composition.toDiscover)
	return c.composition
}

// toDiscover returns the tools that have to be searched for.
func (c *composition) toDiscover() *manifest.Snapshot {
	var tools []*manifest.Tool
	for _, e := range c.entries {
		if e.tool != nil && e.absent.Reason == "" && e.discover {
			tools = append(tools, e.tool)
		}
	}
	return manifest.Compose(tools...)
}

// size returns about how many tools there are.
func (c *composer) size() (n int) {
	if c.in.image.Snapshot != nil {
		n += len(c.in.image.Snapshot.Tools())
	}
	if c.in.connectors != nil {
		for i := range c.in.connectors.All {
			n += len(c.in.connectors.All[i].Tools)
		}
	}
	return n
}

// bind lists the connectors: those that are configured, and then those that only the grants name.
func (c *composer) bind() {
	g := c.in.grants
	configured := map[string]bool{}
	if c.in.connectors != nil {
		for i := range c.in.connectors.All {
			one := &c.in.connectors.All[i]
			configured[one.Slug] = true
			b := binding{Binding: Binding{Bound: g == nil}, slug: one.Slug, connector: one}
			if g != nil {
				b.Binding = g.Connectors[one.Slug]
			}
			b.Namespace = g.namespace(one)
			c.bindings = append(c.bindings, b)
		}
	}
	if g == nil {
		return
	}
	for _, slug := range slices.Sorted(maps.Keys(g.Connectors)) {
		if configured[slug] {
			continue
		}
		b := binding{Binding: g.Connectors[slug], slug: slug}
		b.Namespace = g.namespace(&Connector{Slug: slug})
		c.bindings = append(c.bindings, b)
	}
	c.claims = map[string]*binding{}
	for i := range c.bindings {
		if b := &c.bindings[i]; b.connector == nil && c.claims[b.Namespace] == nil {
			c.claims[b.Namespace] = b
		}
	}
}

// unbound is why a connector's tools are absent.
func (c *composer) unbound(b *binding) Absence {
	return Absence{Policy, "the connector " + quote(b.slug) + " is not bound in " + c.grantsFile()}
}

func (c *composer) grantsFile() string {
	if c.in.grants == nil || c.in.grants.file == "" {
		return "the grants"
	}
	return text.Shorten(c.in.grants.file, maxName)
}

func quote(s string) string { return text.Quote(s, maxName) }

// addConnectors adds the tools of the connectors that have some.
func (c *composer) addConnectors() {
	for i := range c.bindings {
		b := &c.bindings[i]
		if b.connector == nil {
			continue
		}
		absent := c.stateOf(b)
		if absent.Reason != "" {
			c.spaces[b.Namespace] = absent
		}
		for _, t := range b.connector.Tools {
			c.addConnector(b, t, absent)
		}
		for _, l := range b.connector.Lost {
			c.lose(l, b.provenance(), b.Namespace)
		}
	}
}

// stateOf returns why none of a connector's tools can be called.
func (c *composer) stateOf(b *binding) Absence {
	switch {
	case !b.Bound:
		return c.unbound(b)
	case b.connector.Problem != "":
		return Absence{Setup, "the connector " + quote(b.slug) + " cannot be used: " + text.Line(b.connector.Problem, problemMax)}
	}
	return Absence{}
}

// problemMax is the longest text of a problem that is repeated, in bytes.
const problemMax = 500

// addConnector adds a tool of a connector's.
func (c *composer) addConnector(b *binding, t *manifest.Tool, absent Absence) {
	first := namespaceOf(t.Name)
	lost := Lost{Name: t.Name, Description: t.Description, Native: nativeOf(t)}
	switch {
	case first == PlatformNamespace, first == CoreNamespace:
		lost.Text = "the namespace " + quote(first) + " is the platform's"
		c.lose(lost, b.provenance(), "") // it is not the connector's either, whatever that is called
		return
	case !within(t.Name, b.Namespace):
		lost.Text = "it is outside of " + quote(b.Namespace) + ", the namespace of the connector " + quote(b.slug)
	default:
		c.add(&entry{name: t.Name, tier: fromConnector, tool: t, provenance: b.provenance(), inherited: b.InheritedFrom, absent: absent, unbound: !b.Bound})
		return
	}
	c.lose(lost, b.provenance(), b.Namespace)
}

func nativeOf(t *manifest.Tool) string {
	if t.External != nil {
		return t.External.Name
	}
	return ""
}

// addPlatform adds what the platform provides.
func (c *composer) addPlatform() {
	p := c.in.platform
	if p == nil {
		return
	}
	var absent Absence
	if p.Absent != nil {
		absent = *p.Absent
		c.spaces[PlatformNamespace] = absent
	}
	for _, t := range p.Tools {
		if namespaceOf(t.Name) != PlatformNamespace {
			c.lose(Lost{Name: t.Name, Description: t.Description, Native: nativeOf(t), Text: "it is outside of " + quote(PlatformNamespace) + ", the platform's namespace"}, ProvenancePlatform, PlatformNamespace)
			continue
		}
		c.add(&entry{name: t.Name, tier: fromPlatform, tool: t, provenance: ProvenancePlatform, absent: absent})
	}
}

// addCore adds what the sidecar brings. Nothing else can be in its namespace.
func (c *composer) addCore() {
	if c.in.core == nil {
		return
	}
	for _, t := range c.in.core.Tools() {
		c.add(&entry{name: t.Name, tier: fromCore, tool: t, provenance: ProvenanceCore})
	}
}

// addImage adds what the image declares. A connector that brings no tools of its own grants those
// in its namespace, or takes them away.
func (c *composer) addImage() {
	if c.in.image.Snapshot == nil {
		return
	}
	provenance := ProvenanceImage
	if c.in.image.Digest != "" {
		provenance += ":" + c.in.image.Digest
	}
	tools := c.in.image.Snapshot.Tools()
	room := make([]entry, len(tools))
	for i, t := range tools {
		e := &room[i]
		*e = entry{name: t.Name, tier: fromImage, tool: t, provenance: provenance}
		c.claim(e)
		c.add(e)
	}
}

// claim gives a tool of the image's to the connector in whose namespace it is.
func (c *composer) claim(e *entry) {
	for namespace := range namespacesOf(e.name) {
		if c.reserved[namespace] {
			e.absent = Absence{Policy, "the namespace " + quote(namespace) + " is reserved in " + c.grantsFile() + ", and the image may not use it"}
			return
		}
		b := c.claims[namespace]
		if b == nil {
			continue
		}
		e.provenance, e.inherited = b.provenance(), b.InheritedFrom
		if !b.Bound {
			e.absent, e.unbound = c.unbound(b), true
		}
		return
	}
}

// add adds a tool, or says that another one has its name. One that is not granted gives way to a
// lower one that is.
func (c *composer) add(e *entry) {
	other := c.byName[e.name]
	if other == nil {
		c.byName[e.name] = e
		c.entries = append(c.entries, e)
		return
	}
	winner, loser := other, e
	if other.yields || other.unbound && e.absent.Reason == "" && !c.explicit(e.name) {
		winner, loser = e, other
	}
	c.lost = append(c.lost, Lost{Name: e.name, Description: loser.description(), Native: loser.nativeName(),
		Text: "another tool of this name has precedence: that of " + winner.provenance + " over that of " + loser.provenance})
	if winner == e {
		*other = *e // in its place
	}
}

// lose adds a row for a tool that is not served, unless there is one of that name. The name stays
// its source's if it is in the source's namespace.
func (c *composer) lose(l Lost, provenance, namespace string) {
	l.Text = text.Line(l.Text, problemMax)
	if !isTool(l.Name) || c.byName[l.Name] != nil {
		c.lost = append(c.lost, l)
		return
	}
	e := &entry{
		name: l.Name, tier: fromNobody, text: l.Description, provenance: provenance, native: l.Native,
		yields: !within(l.Name, namespace), absent: Absence{Setup, "it is not served: " + l.Text},
	}
	c.byName[l.Name] = e
	c.entries = append(c.entries, e)
}
