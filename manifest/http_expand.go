package manifest

import (
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
)

// maxURL bounds a URL in bytes, as servers do.
const maxURL = 8 << 10

// Expand returns the URL with the arguments filled in. The error is *ArgumentsError.
//
// {name} in the path is escaped and stays in its segment; the segment cannot become
// empty, "." or "..". {name} in the query is escaped; a member whose argument is absent
// (or null) is dropped as a whole, and an array gives one member for each item.
func (h *HTTP) Expand(args *schema.Arguments) (string, error) {
	x := urlExpansion{args: &args.Root}
	x.b.WriteString(h.base)
	for _, segment := range h.path {
		x.b.WriteByte('/')
		x.segment(segment)
	}
	separator := byte('?')
	for _, q := range h.query {
		for _, member := range x.members(q) {
			x.b.WriteByte(separator)
			x.b.WriteString(member)
			separator = '&'
		}
	}
	if x.b.Len() > maxURL {
		x.fault("", "are too long for a URL: more than 8 KiB")
	}
	if len(x.faults) > 0 {
		return "", &schema.ArgumentsError{Faults: x.faults}
	}
	return x.b.String(), nil
}

// urlExpansion is one URL while it is built.
type urlExpansion struct {
	args   *jsontree.Node
	b      strings.Builder
	faults []schema.ArgumentFault
}

func (x *urlExpansion) fault(pointer, message string) {
	if f := (schema.ArgumentFault{Pointer: pointer, Message: message}); !slices.Contains(x.faults, f) {
		x.faults = append(x.faults, f)
	}
}

// segment writes one segment of the path.
func (x *urlExpansion) segment(t template) {
	plain, escaped := "", ""
	for _, p := range t {
		if !p.argument {
			literal, _ := url.PathUnescape(p.text) // checked at load
			plain, escaped = plain+literal, escaped+p.text
			continue
		}
		v := x.args.Get(p.text)
		if v == nil || !scalar(v) {
			x.fault(jsontree.Child("", p.text), "must be a string, a number or a boolean: it goes into the path of a URL")
			return
		}
		plain, escaped = plain+v.Text, escaped+url.PathEscape(v.Text)
	}
	if names := t.arguments(); len(names) > 0 && (plain == "" || plain == "." || plain == "..") {
		x.fault(jsontree.Child("", names[0]), `must not make a part of the URL's path empty, "." or ".."`)
		return
	}
	x.b.WriteString(escaped)
}

// members returns what one member of the query stands for: nothing, one member, or one
// for each item of an array.
func (x *urlExpansion) members(q queryMember) []string {
	key, ok := x.query(q.key, nil)
	if !ok {
		return nil
	}
	if q.bare {
		return []string{key}
	}
	if names := q.value.arguments(); len(names) == 1 && len(q.value) == 1 {
		if v := x.args.Get(names[0]); v != nil && v.Kind == jsontree.Array {
			var all []string
			for i := range v.Children {
				if value, ok := x.query(q.value, &v.Children[i]); ok {
					all = append(all, key+"="+value)
				}
			}
			return all
		}
	}
	value, ok := x.query(q.value, nil)
	if !ok {
		return nil
	}
	return []string{key + "=" + value}
}

// query returns a key or a value of the query, and reports whether all its arguments
// are there. item, unless nil, is the value of its one argument.
func (x *urlExpansion) query(t template, item *jsontree.Node) (string, bool) {
	var b strings.Builder
	for _, p := range t {
		if !p.argument {
			b.WriteString(p.text)
			continue
		}
		v := item
		if v == nil {
			v = x.args.Get(p.text)
		}
		if v == nil || v.Kind == jsontree.Null {
			return "", false
		}
		if !scalar(v) {
			x.fault(jsontree.Child("", p.text), "must be a string, a number or a boolean: it goes into a URL")
			return "", false
		}
		b.WriteString(url.QueryEscape(v.Text))
	}
	return b.String(), true
}

// scalar reports whether a value has a text that can stand alone.
func scalar(n *jsontree.Node) bool {
	return n.Kind == jsontree.String || n.Kind == jsontree.Number || n.Kind == jsontree.Bool
}
