package manifest

import (
	"net/url"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// kinds is a set of JSON types. The empty set means that any type may come.
type kinds uint8

func (s kinds) has(k jsontree.Kind) bool { return s&(1<<k) != 0 }

func only(k jsontree.Kind) kinds { return 1 << k }

// property is what the schema says about one argument.
type property struct {
	types    kinds
	items    kinds // the types of an array's elements
	required bool  // present in every call, and never null
}

// properties lists the arguments that a schema declares, including those from its
// local references and from allOf, anyOf and oneOf. A nil schema declares none.
func properties(root *jsontree.Node) map[string]property {
	d := declarations{root: root, out: map[string]property{}, required: map[string]bool{}, done: map[visit]bool{}, types: map[*jsontree.Node]kinds{}}
	d.declare(root, true)
	for name, p := range d.out {
		p.required = d.required[name] && !p.types.has(jsontree.Null)
		d.out[name] = p
	}
	return d.out
}

// declarations visits each part of a schema once, even if its references are circular.
type declarations struct {
	root     *jsontree.Node
	out      map[string]property
	required map[string]bool
	done     map[visit]bool
	types    map[*jsontree.Node]kinds
}

// visit is a schema, and whether it always holds: what one alternative requires is not
// required by all of them.
type visit struct {
	n      *jsontree.Node
	always bool
}

// declare adds what schema n says.
func (d *declarations) declare(n *jsontree.Node, always bool) {
	at := visit{n: n, always: always}
	if n == nil || n.Kind != jsontree.Object || d.done[at] {
		return
	}
	d.done[at] = true
	if props := n.Get("properties"); props != nil && props.Kind == jsontree.Object {
		for i := range props.Children {
			p := d.out[props.Children[i].Key]
			p.types |= d.typesOf(&props.Children[i])
			p.items |= d.typesOf(props.Children[i].Get("items"))
			d.out[props.Children[i].Key] = p
		}
	}
	d.declare(d.local(n), always)
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		subs := elementsOf(n.Get(keyword))
		for i := range subs {
			d.declare(&subs[i], always && keyword == "allOf")
		}
	}
	for _, name := range elementsOf(n.Get("required")) {
		if always {
			d.required[name.Str()] = true
		}
	}
}

// elementsOf returns the elements of an array, none for anything else.
func elementsOf(n *jsontree.Node) []jsontree.Node {
	if n == nil || n.Kind != jsontree.Array {
		return nil
	}
	return n.Children
}

// local returns the schema that a $ref within the document refers to.
func (d *declarations) local(n *jsontree.Node) *jsontree.Node {
	ref, ok := strings.CutPrefix(n.Get("$ref").Str(), "#")
	if !ok {
		return nil
	}
	if unescaped, err := url.PathUnescape(ref); err == nil {
		ref = unescaped
	}
	return d.root.At(ref)
}

// typesOf returns the types that a schema allows, none if it does not say.
func (d *declarations) typesOf(n *jsontree.Node) kinds {
	if n == nil || n.Kind != jsontree.Object {
		return 0
	}
	if types, ok := d.types[n]; ok {
		return types
	}
	d.types[n] = 0 // a circular reference says nothing
	types := narrow(declared(n.Get("type")), fixed(n))
	types = narrow(types, d.typesOf(d.local(n)))
	subs := elementsOf(n.Get("allOf"))
	for i := range subs {
		types = narrow(types, d.typesOf(&subs[i]))
	}
	types = narrow(types, d.union(n.Get("anyOf")))
	types = narrow(types, d.union(n.Get("oneOf")))
	d.types[n] = types
	return types
}

// union returns the types that any of several schemas allows.
func (d *declarations) union(n *jsontree.Node) kinds {
	var union kinds
	subs := elementsOf(n)
	for i := range subs {
		one := d.typesOf(&subs[i])
		if one == 0 {
			return 0
		}
		union |= one
	}
	return union
}

// narrow returns the intersection, where the empty set means any type.
func narrow(a, b kinds) kinds {
	switch {
	case a == 0:
		return b
	case b == 0 || a&b == 0:
		return a
	}
	return a & b
}

// declared reads the value of "type".
func declared(n *jsontree.Node) kinds {
	if n == nil {
		return 0
	}
	var types kinds
	for _, t := range append([]jsontree.Node{*n}, elementsOf(n)...) {
		switch t.Str() {
		case "null":
			types |= only(jsontree.Null)
		case "boolean":
			types |= only(jsontree.Bool)
		case "number", "integer":
			types |= only(jsontree.Number)
		case "string":
			types |= only(jsontree.String)
		case "array":
			types |= only(jsontree.Array)
		case "object":
			types |= only(jsontree.Object)
		}
	}
	return types
}

// fixed reads the types of "const" and "enum".
func fixed(n *jsontree.Node) kinds {
	if c := n.Get("const"); c != nil {
		return only(c.Kind)
	}
	var types kinds
	for _, v := range elementsOf(n.Get("enum")) {
		types |= only(v.Kind)
	}
	return types
}
