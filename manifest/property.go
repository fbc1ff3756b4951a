package manifest

import "strings"

// kinds is a set of JSON types. None means that any may come.
type kinds uint8

func (s kinds) has(k jsonKind) bool { return s&(1<<k) != 0 }

func only(k jsonKind) kinds { return 1 << k }

// property is what the schema says of one argument.
type property struct {
	types    kinds
	items    kinds // of an array's elements
	required bool  // present in every call, and never null
}

// properties lists the arguments that a schema declares, its local references
// and allOf, anyOf and oneOf included. A nil schema has none.
func properties(root *node) map[string]property {
	d := declarations{root: root, out: map[string]property{}, required: map[string]bool{}, done: map[visit]bool{}, types: map[*node]kinds{}}
	d.declare(root, true)
	for name, p := range d.out {
		p.required = d.required[name] && !p.types.has(kindNull)
		d.out[name] = p
	}
	return d.out
}

// declarations goes through a schema once, however its references run.
type declarations struct {
	root     *node
	out      map[string]property
	required map[string]bool
	done     map[visit]bool
	types    map[*node]kinds
}

// visit is a schema, and whether it always holds: what an alternative requires
// is not required by all.
type visit struct {
	n      *node
	always bool
}

// declare adds what schema n says.
func (d *declarations) declare(n *node, always bool) {
	at := visit{n: n, always: always}
	if n == nil || n.kind != kindObject || d.done[at] {
		return
	}
	d.done[at] = true
	if props := n.get("properties"); props != nil && props.kind == kindObject {
		for i := range props.kids {
			p := d.out[props.kids[i].key]
			p.types |= d.typesOf(&props.kids[i])
			p.items |= d.typesOf(props.kids[i].get("items"))
			d.out[props.kids[i].key] = p
		}
	}
	d.declare(d.local(n), always)
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		subs := elementsOf(n.get(keyword))
		for i := range subs {
			d.declare(&subs[i], always && keyword == "allOf")
		}
	}
	for _, name := range elementsOf(n.get("required")) {
		if always {
			d.required[name.str()] = true
		}
	}
}

// elementsOf returns the elements of an array, none for anything else.
func elementsOf(n *node) []node {
	if n == nil || n.kind != kindArray {
		return nil
	}
	return n.kids
}

// local returns the schema that a $ref within the document means.
func (d *declarations) local(n *node) *node {
	ref, ok := strings.CutPrefix(n.get("$ref").str(), "#")
	if !ok {
		return nil
	}
	return d.root.at(unescapePercent(ref))
}

// typesOf returns the types that a schema lets through, none when it does not
// say.
func (d *declarations) typesOf(n *node) kinds {
	if n == nil || n.kind != kindObject {
		return 0
	}
	if types, ok := d.types[n]; ok {
		return types
	}
	d.types[n] = 0 // a circle says nothing
	types := narrow(declared(n.get("type")), fixed(n))
	types = narrow(types, d.typesOf(d.local(n)))
	subs := elementsOf(n.get("allOf"))
	for i := range subs {
		types = narrow(types, d.typesOf(&subs[i]))
	}
	types = narrow(types, d.union(n.get("anyOf")))
	types = narrow(types, d.union(n.get("oneOf")))
	d.types[n] = types
	return types
}

// union is what any of some schemas lets through.
func (d *declarations) union(n *node) kinds {
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

// narrow is the intersection, where none means any.
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
func declared(n *node) kinds {
	if n == nil {
		return 0
	}
	var types kinds
	for _, t := range append([]node{*n}, elementsOf(n)...) {
		switch t.str() {
		case "null":
			types |= only(kindNull)
		case "boolean":
			types |= only(kindBool)
		case "number", "integer":
			types |= only(kindNumber)
		case "string":
			types |= only(kindString)
		case "array":
			types |= only(kindArray)
		case "object":
			types |= only(kindObject)
		}
	}
	return types
}

// fixed reads the types of "const" and "enum".
func fixed(n *node) kinds {
	if c := n.get("const"); c != nil {
		return only(c.kind)
	}
	var types kinds
	for _, v := range elementsOf(n.get("enum")) {
		types |= only(v.kind)
	}
	return types
}
