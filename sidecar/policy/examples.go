package policy

import (
	"cmp"
	"path"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// examples holds a rule against what it says that it matches, and does not match.
func (d *decoder) examples(r *rule, n *jsontree.Node, pointer string) {
	for _, want := range []bool{true, false} {
		key := "not_match"
		if want {
			key = "match"
		}
		list := n.Get(key)
		if list == nil {
			continue
		}
		p := jsontree.Child(pointer, key)
		if list.Kind != jsontree.Array {
			d.Wrong(list, p, "an array of examples")
			continue
		}
		for i := range list.Children {
			d.example(r, &list.Children[i], jsontree.Item(p, i), want)
		}
	}
}

// example checks one example: a string is a value, an object the arguments of a call.
func (d *decoder) example(r *rule, n *jsontree.Node, pointer string, want bool) {
	var got bool
	switch {
	case n.Kind == jsontree.Object && r.capability == "" && !r.ofUses():
		got = r.Pointer == "" || r.argument(n)
	case n.Kind == jsontree.Object && r.Pointer != "":
		value := n.At(r.Pointer)
		got = value != nil && d.matchesExample(r, argumentText(value))
	case n.Kind == jsontree.Object:
		d.Fault(n.Offset, pointer, "a rule without a pointer is not held against arguments", "write the value as a string")
		return
	case n.Kind != jsontree.String:
		d.Wrong(n, pointer, "a value as a string, or the arguments of a call as an object")
		return
	case r.capability == "" && !r.ofUses() && r.Pointer == "":
		d.Fault(n.Offset, pointer, "the rule has no pattern that a value could match", "add a pattern, or remove the example")
		return
	case r.text != nil:
		got = r.text.Matches(n.Text)
	default:
		got = d.matchesExample(r, n.Text)
	}
	if got == want {
		return
	}
	message, hint := "the rule does not match this", "correct the pattern, or move the example to not_match"
	if got {
		message, hint = "the rule matches this", "correct the pattern, or move the example to match"
	}
	d.Fault(n.Offset, pointer, message, hint)
}

// matchesExample reports whether a rule matches a value. A rule that allows matches a
// command line only if it allows the whole of it.
func (d *decoder) matchesExample(r *rule, value string) bool {
	kinds := []Capability{r.capability}
	if r.capability == "" {
		kinds = Capabilities()
	}
	for _, k := range kinds {
		if d.matchesAs(r, k, value) {
			return true
		}
	}
	return false
}

func (d *decoder) matchesAs(r *rule, k Capability, value string) bool {
	if (k == FSRead || k == FSWrite) && path.IsAbs(value) {
		value = path.Clean(value)
	}
	c := newCall(Request{Uses: []Use{{Capability: k, Pointer: cmp.Or(r.Pointer, "/"), Value: value}}}, d.opts.Roots)
	found := false
	for i := range c.atoms {
		a := &c.atoms[i]
		if a.capability != k || a.aside && r.Verdict == Allow {
			continue
		}
		_, ok := r.matches(a, d.opts.Roots)
		if r.Verdict == Allow && (!ok || a.doubt != "") {
			return false
		}
		found = found || ok
	}
	return found
}
