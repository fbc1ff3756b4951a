package surface

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// What a grants file or a preference file may have.
const (
	maxFile    = 1 << 20 // bytes
	maxEntries = 10_000  // connectors, grants or patterns, each
	maxName    = 128     // bytes of a name, a pattern or a place that a grant is inherited from
)

// Grants are what the owner of the sidecar grants. They do not change.
type Grants struct {
	// Connectors has the connectors that the file names, by slug.
	Connectors map[string]Binding
	// Tools and Namespaces are granted explicitly.
	Tools, Namespaces []string
	// Reserved are namespaces that the image may not use.
	Reserved []string

	file string // where they come from, for texts
}

// Binding says whether a connector is bound, and to what.
type Binding struct {
	Bound bool
	// Namespace is what the connector provides; "" is its own, or its slug.
	Namespace string
	// InheritedFrom is where the binding was made, "" for here.
	InheritedFrom string
}

// namespace returns the namespace that a connector provides.
func (g *Grants) namespace(c *Connector) string {
	if g != nil && g.Connectors[c.Slug].Namespace != "" {
		return g.Connectors[c.Slug].Namespace
	}
	if c.Namespace != "" {
		return c.Namespace
	}
	return c.Slug
}

const grantsExample = `as in {"connectors":{"github":{"bound":true}},"grants":[{"tool":"acme.echo"}]}`

// ParseGrants reads a grants file. file is used in messages only. The error is jsontree.Faults and
// has everything that is wrong.
func ParseGrants(file string, data []byte) (*Grants, error) {
	g := &Grants{Connectors: map[string]Binding{}, file: file}
	err := parse(file, data, func(d *decoder, root *jsontree.Node) {
		d.Members(root, "", []string{"connectors", "grants", "reserved"}, func(m *jsontree.Node, p string) {
			switch m.Key {
			case "connectors":
				d.connectors(g, m, p)
			case "grants":
				d.grants(g, m, p)
			case "reserved":
				g.Reserved = d.names(m, p)
			}
		})
	})
	if err != nil {
		return nil, err
	}
	return g, nil
}

// decoder reads a file of this package.
type decoder struct{ jsontree.Decoder }

// parse reads a file whose root is an object.
func parse(file string, data []byte, read func(d *decoder, root *jsontree.Node)) error {
	if len(data) > maxFile {
		return jsontree.Faults{{File: file, Message: "the file has more than " + text.FormatSize(maxFile)}}
	}
	root, faults := jsontree.ParseFile(file, data)
	d := &decoder{}
	if root.Kind != 0 {
		read(d, &root)
	}
	faults = append(faults, jsontree.Locate(file, string(data), d.Faults)...)
	if len(faults) == 0 {
		return nil
	}
	slices.SortStableFunc(faults, func(a, b jsontree.Fault) int { return cmp.Compare(a.Offset, b.Offset) })
	return faults
}

// connectors reads {"SLUG":{"bound","namespace","inheritedFrom"}}.
func (d *decoder) connectors(g *Grants, n *jsontree.Node, pointer string) {
	if n.Kind != jsontree.Object {
		d.Wrong(n, pointer, "an object with the connectors' slugs as its keys")
		return
	}
	if d.tooMany(n, pointer) {
		return
	}
	for i := range n.Children {
		m := &n.Children[i]
		p := jsontree.Child(pointer, m.Key)
		d.slug(m, p)
		b := Binding{Bound: true}
		d.Members(m, p, []string{"bound", "namespace", "inheritedFrom"}, func(v *jsontree.Node, at string) {
			switch v.Key {
			case "bound":
				b.Bound = d.truth(v, at)
			case "namespace":
				b.Namespace = d.namespace(v, at)
			case "inheritedFrom":
				b.InheritedFrom = d.place(v, at)
			}
		})
		g.Connectors[m.Key] = b
	}
}

// slug checks a connector's slug, the key of a member: a namespace of one segment.
func (d *decoder) slug(m *jsontree.Node, pointer string) {
	switch {
	case len(m.Key) > maxName || !policy.IsName(m.Key) || namespaceOf(m.Key) != m.Key:
		hint := `slugs are small letters, digits and "_", and begin with a letter, as in "github"`
		if slug := manifest.Segment(m.Key); len(m.Key) <= maxName && slug != "" {
			hint = "write " + quote(slug)
		}
		d.Fault(m.KeyOffset, pointer, quote(m.Key)+" is not a connector's slug", hint)
	case m.Key == PlatformNamespace || m.Key == CoreNamespace:
		d.Fault(m.KeyOffset, pointer, quote(m.Key)+" is the platform's, and no connector's slug", "choose another slug")
	}
}

func (d *decoder) truth(n *jsontree.Node, pointer string) bool {
	if n.Kind != jsontree.Bool {
		d.Wrong(n, pointer, "true or false")
	}
	return n.Text == "true"
}

// namespace reads a namespace that is not the platform's.
func (d *decoder) namespace(n *jsontree.Node, pointer string) string {
	s, ok := d.Text(n, pointer)
	switch {
	case !ok:
	case !policy.IsName(s) || len(s) > maxName:
		d.Fault(n.Offset, pointer, quote(s)+" is not a namespace", `namespaces are small letters, digits and "_", as in "acme"`)
	case namespaceOf(s) == PlatformNamespace || namespaceOf(s) == CoreNamespace:
		d.Fault(n.Offset, pointer, quote(s)+" is the platform's", "choose another namespace")
	}
	return s
}

// names reads an array of namespaces.
func (d *decoder) names(n *jsontree.Node, pointer string) (all []string) {
	if n.Kind != jsontree.Array {
		d.Wrong(n, pointer, "an array of namespaces")
		return nil
	}
	if d.tooMany(n, pointer) {
		return nil
	}
	for i := range n.Children {
		s, p := &n.Children[i], jsontree.Item(pointer, i)
		if s.Kind == jsontree.String && (s.Text == PlatformNamespace || s.Text == CoreNamespace) {
			continue // they are reserved without being named
		}
		all = append(all, d.namespace(s, p))
	}
	return all
}

// place reads where a grant was made.
func (d *decoder) place(n *jsontree.Node, pointer string) string {
	s, ok := d.Text(n, pointer)
	if ok && (s == "" || len(s) > maxName || !text.Visible(s)) {
		d.Fault(n.Offset, pointer, "inheritedFrom must be 1 to "+strconv.Itoa(maxName)+" bytes of visible text", `write where the connector is bound, as in "unit:engineering"`)
	}
	return s
}

// grants reads [{"tool":"…"}|{"namespace":"…"}].
func (d *decoder) grants(g *Grants, n *jsontree.Node, pointer string) {
	if n.Kind != jsontree.Array {
		d.Wrong(n, pointer, `an array of {"tool":"…"} and {"namespace":"…"}`)
		return
	}
	if d.tooMany(n, pointer) {
		return
	}
	for i := range n.Children {
		d.grant(g, &n.Children[i], jsontree.Item(pointer, i))
	}
}

func (d *decoder) grant(g *Grants, n *jsontree.Node, pointer string) {
	before := len(d.Faults)
	d.Members(n, pointer, []string{"tool", "namespace"}, func(m *jsontree.Node, p string) {
		s, ok := d.Text(m, p)
		switch {
		case !ok:
		case m.Key == "tool" && !isTool(s):
			d.Fault(m.Offset, p, quote(s)+" is not a tool's id", `write "<namespace>.<tool>", as in "acme.echo"`)
		case m.Key == "tool":
			g.Tools = append(g.Tools, s)
		case !policy.IsName(s) || len(s) > maxName:
			d.Fault(m.Offset, p, quote(s)+" is not a namespace", `write it as in "acme", without "*"`)
		default:
			g.Namespaces = append(g.Namespaces, s)
		}
	})
	if len(d.Faults) == before && len(n.Children) != 1 {
		d.Fault(n.Offset, pointer, `a grant has either "tool" or "namespace"`, grantsExample)
	}
}

// tooMany reports a list that is too long.
func (d *decoder) tooMany(n *jsontree.Node, pointer string) bool {
	if len(n.Children) <= maxEntries {
		return false
	}
	d.Fault(n.Offset, pointer, "has "+strconv.Itoa(len(n.Children))+" entries, and at most "+strconv.Itoa(maxEntries)+" are read", "")
	return true
}
