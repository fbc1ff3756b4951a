package schema

import (
	"net/url"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// resource is a schema with an identifier of its own, to which fragments refer.
type resource struct {
	base    string
	root    *jsontree.Node
	pointer string
	anchors map[string]*jsontree.Node
}

type reference struct {
	at      *jsontree.Node
	pointer string
	from    *resource
}

func (s *check) resource(base string, root *jsontree.Node, pointer string) *resource {
	r := &resource{base: base, root: root, pointer: pointer, anchors: map[string]*jsontree.Node{}}
	if s.resources == nil {
		s.resources = map[string]*resource{}
	}
	s.resources[base] = r
	return r
}

// identify opens a resource for a schema with an identifier, and keeps anchors.
func (s *check) identify(n *jsontree.Node, pointer string, in *resource) *resource {
	key := "$id"
	if strings.Contains(s.root.Get("$schema").Str(), "draft-04") {
		key = "id"
	}
	base, anchor, _ := strings.Cut(n.Get(key).Str(), "#")
	if abs := join(in.base, base); base != "" && abs != "" {
		if s.resources[abs] != nil && abs != in.base {
			s.fault(n.Get(key), jsontree.Child(pointer, key), "the identifier "+quoted(base)+" is here twice", "keep one of them")
		}
		in = s.resource(abs, n, pointer)
	}
	s.anchor(n, pointer, key, anchor, in)
	s.anchor(n, pointer, "$anchor", n.Get("$anchor").Str(), in)
	s.anchor(n, pointer, "$dynamicAnchor", n.Get("$dynamicAnchor").Str(), in)
	return in
}

func (s *check) anchor(n *jsontree.Node, pointer, key, name string, in *resource) {
	if name == "" {
		return
	}
	if other := in.anchors[name]; other != nil && other != n {
		s.fault(n.Get(key), jsontree.Child(pointer, key), "the anchor "+quoted(name)+" is here twice", "keep one of them")
	}
	in.anchors[name] = n
}

// resolve checks that a reference leads to something in the document.
func (s *check) resolve(r reference) {
	document, fragment, _ := strings.Cut(r.at.Text, "#")
	target := r.from
	if document != "" {
		if target = s.resources[join(r.from.base, document)]; target == nil {
			s.fault(r.at, r.pointer, "the reference "+quoted(r.at.Text)+" leaves the document", "schemas are not fetched: put it under $defs and refer to #/$defs/…")
			return
		}
	}
	fragment, err := url.PathUnescape(fragment)
	switch {
	case err != nil:
		s.fault(r.at, r.pointer, "the reference "+quoted(r.at.Text)+" is not a URI", "")
	case fragment == "" || fragment[0] == '/' && target.root.At(fragment) != nil:
	case fragment[0] != '/' && target.anchors[fragment] != nil:
	default:
		s.fault(r.at, r.pointer, "the reference "+quoted(r.at.Text)+" finds nothing", s.guess(target, fragment))
	}
}

// guess returns the definition that a broken reference probably meant.
func (s *check) guess(target *resource, fragment string) string {
	cut := strings.LastIndexByte(fragment, '/')
	for _, container := range []string{fragment[:max(cut, 0)], "/$defs", "/definitions"} {
		names := []string{}
		if n := target.root.At(container); n != nil && n.Kind == jsontree.Object && container != "" {
			for i := range n.Children {
				names = append(names, n.Children[i].Key)
			}
		}
		if guess := jsontree.Nearest(fragment[cut+1:], names); guess != "" {
			return "write " + quoted("#"+jsontree.Child(container, guess))
		}
	}
	return ""
}

// join resolves a reference; it returns "" if either is no URL.
func join(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ""
	}
	u, err := b.Parse(ref)
	if err != nil {
		return ""
	}
	return u.String()
}
