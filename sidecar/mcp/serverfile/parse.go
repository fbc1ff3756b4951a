package serverfile

import (
	"strconv"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// MaxFile is the largest size of the file in bytes.
const MaxFile = 1 << 20

// MaxServers is how many servers a file may name.
const MaxServers = 100

// Options say how a file is read. The zero value knows no variables.
type Options struct {
	// Lookup returns the value of a variable, and whether it is set. nil: none is.
	Lookup func(name string) (value string, set bool)
	// Reserved are namespaces that no server may have, in addition to core and sv.
	Reserved []string
}

// Parse reads a file. file is used in messages only. The servers are in the order of the file, those
// that are disabled among them. The error is jsontree.Faults.
func Parse(file string, data []byte, o Options) ([]Server, error) {
	if o.Lookup == nil {
		o.Lookup = func(string) (string, bool) { return "", false }
	}
	root, faults := jsontree.ParseFile(file, data)
	if root.Kind == 0 {
		return nil, faults
	}
	r := &reader{o: o, slugs: map[string]string{}}
	r.file(&root)
	if faults = append(faults, jsontree.Locate(file, text.Shared(data), r.Faults)...); len(faults) > 0 {
		return nil, faults
	}
	return r.servers, nil
}

// reader reads one file.
type reader struct {
	jsontree.Decoder
	o       Options
	servers []Server
	slugs   map[string]string // the name of the server that has it
}

func (r *reader) file(root *jsontree.Node) {
	r.Members(root, "", []string{"mcpServers"}, func(m *jsontree.Node, p string) {
		switch {
		case m.Kind != jsontree.Object:
			r.Wrong(m, p, `an object, as in {"github":{"command":"github-mcp","args":["stdio"]}}`)
		case len(m.Children) > MaxServers:
			r.Fault(m.Offset, p, "there are "+strconv.Itoa(len(m.Children))+" servers, and "+strconv.Itoa(MaxServers)+" at most are started", "remove some")
		default:
			for i := range m.Children {
				r.server(&m.Children[i], jsontree.Child(p, m.Children[i].Key))
			}
		}
	})
	if root.Kind == jsontree.Object && root.Get("mcpServers") == nil {
		r.Fault(root.Offset, "", `"mcpServers" is missing`, `write {"mcpServers":{…}}, with an entry for each server`)
	}
}

// server reads one entry.
func (r *reader) server(n *jsontree.Node, pointer string) {
	r.Subject = string([]byte(n.Key)) // it outlives the tree
	s := Server{Name: r.Subject, Slug: r.slug(n, pointer), Requires: &manifest.Requires{}}
	r.entry(&s, n, pointer)
	r.Subject = ""
	r.servers = append(r.servers, s)
}

// slug returns the namespace of a server's tools.
func (r *reader) slug(n *jsontree.Node, pointer string) string {
	slug := manifest.Segment(n.Key)
	other, taken := r.slugs[slug]
	switch {
	case slug == "":
		r.Fault(n.KeyOffset, pointer, quote(n.Key)+" has neither a letter nor a digit: no tool can be named after it", `choose a name such as "github"`)
		return ""
	case len(slug) > maxSlug:
		r.Fault(n.KeyOffset, pointer, quote(n.Key)+" is longer than the "+strconv.Itoa(maxSlug)+" characters that names of tools have room for", "choose a shorter name")
	case manifest.ReservedBy(slug, r.o.Reserved) != "":
		r.Fault(n.KeyOffset, pointer, "the namespace "+quote(slug)+" is reserved", "give the server another name")
	case taken:
		r.Fault(n.KeyOffset, pointer, quote(n.Key)+" and "+quote(other)+" would both name their tools "+slug+".…", "give one of them another name")
	}
	r.slugs[slug] = n.Key
	return slug
}

// maxSlug is the longest slug. Many clients refuse names of tools of more than 64 characters, and
// the tool's own name comes after the slug.
const maxSlug = 32
