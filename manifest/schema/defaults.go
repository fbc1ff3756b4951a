package schema

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// maxFilled bounds how many bytes defaults may add to the arguments of a call.
const maxFilled = 1 << 20

// Complete returns the arguments of a call with the schema's defaults in the place of
// properties that are absent, also inside objects and arrays: args itself if nothing is
// missing. args must be what Validate returned for the same schema. Defaults count under
// "properties" and "items" of the schema, of what it refers to by a JSON pointer and of
// its allOf; an object that is absent and has no default is not made. The result is one
// line of JSON and is checked against the schema, too. The error is *ArgumentsError, or
// says why the context ended.
func (v *Validators) Complete(ctx context.Context, key string, schema json.RawMessage, args *Arguments) (*Arguments, error) {
	root := v.get(key, schema).withDefaults()
	if root == nil {
		return args, nil
	}
	f := filler{schema: text.Shared(schema), root: root, room: len(args.Text) + maxFilled}
	f.value(args.Text, &args.Root, f.flatten(nil, root))
	switch {
	case !f.filled:
		return args, nil
	case f.full():
		return nil, wholly("leave out too much: the defaults for it are more than 1 MiB")
	}
	return v.Validate(ctx, key, schema, f.out)
}

// withDefaults returns the tree of a schema that has defaults, nil for any other.
func (v *validator) withDefaults() *jsontree.Node {
	v.once.Do(func() {
		if src := text.Shared(v.schema); strings.Contains(src, `"default"`) {
			if root, _ := jsontree.Parse(src, 0); root.Kind != 0 {
				v.defaults = &root
			}
		}
	})
	return v.defaults
}

// filler writes arguments with their defaults.
type filler struct {
	schema string // the text to which root's offsets refer
	root   *jsontree.Node
	out    []byte
	room   int // the most bytes that out may have
	filled bool
}

// full reports whether nothing more is written.
func (f *filler) full() bool { return len(f.out) > f.room }

// flatten appends the schemas that all say what n says: n, what it refers to, and its
// allOf.
func (f *filler) flatten(all []*jsontree.Node, n *jsontree.Node) []*jsontree.Node {
	if n == nil || n.Kind != jsontree.Object || slices.Contains(all, n) {
		return all
	}
	all = append(all, n)
	if ref, ok := strings.CutPrefix(n.Get("$ref").Str(), "#"); ok {
		if unescaped, err := url.PathUnescape(ref); err == nil {
			ref = unescaped
		}
		all = f.flatten(all, f.root.At(ref))
	}
	if each := n.Get("allOf"); each != nil && each.Kind == jsontree.Array {
		for i := range each.Children {
			all = f.flatten(all, &each.Children[i])
		}
	}
	return all
}

// value writes a value of src for which schemas hold.
func (f *filler) value(src string, n *jsontree.Node, schemas []*jsontree.Node) {
	switch {
	case f.full():
	case n.Kind == jsontree.Object:
		f.object(src, n, schemas)
	case n.Kind == jsontree.Array:
		var items []*jsontree.Node
		for _, s := range schemas {
			items = f.flatten(items, s.Get("items"))
		}
		f.out = append(f.out, '[')
		for i := range n.Children {
			f.comma(i)
			f.value(src, &n.Children[i], items)
		}
		f.out = append(f.out, ']')
	default:
		f.out = append(f.out, src[n.Offset:n.End]...)
	}
}

func (f *filler) comma(i int) {
	if i > 0 {
		f.out = append(f.out, ',')
	}
}

// object writes an object: its members, and after them those that are absent.
func (f *filler) object(src string, n *jsontree.Node, schemas []*jsontree.Node) {
	f.out = append(f.out, '{')
	for i := range n.Children {
		m := &n.Children[i]
		f.comma(i)
		f.key(m.Key)
		f.value(src, m, f.property(schemas, m.Key))
	}
	written := len(n.Children)
	var added []string
	for _, s := range schemas {
		properties := s.Get("properties")
		if properties == nil || properties.Kind != jsontree.Object {
			continue
		}
		for i := range properties.Children {
			name := properties.Children[i].Key
			if n.Get(name) != nil || slices.Contains(added, name) {
				continue
			}
			of := f.property(schemas, name)
			if def := defaultOf(of); def != nil {
				f.comma(written)
				f.key(name)
				f.value(f.schema, def, of)
				written, f.filled, added = written+1, true, append(added, name)
			}
		}
	}
	f.out = append(f.out, '}')
}

// property returns the schemas of a property.
func (f *filler) property(schemas []*jsontree.Node, name string) []*jsontree.Node {
	var all []*jsontree.Node
	for _, s := range schemas {
		all = f.flatten(all, s.Get("properties").Get(name))
	}
	return all
}

// defaultOf returns the first default that schemas have, nil if none has.
func defaultOf(schemas []*jsontree.Node) *jsontree.Node {
	for _, s := range schemas {
		if d := s.Get("default"); d != nil {
			return d
		}
	}
	return nil
}

func (f *filler) key(name string) {
	quoted, _ := text.JSON(name) // a string always has a JSON form
	f.out = append(append(f.out, quoted...), ':')
}
