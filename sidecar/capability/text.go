package capability

import (
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// text adds the files that the text of an argument names: what is written comes first, for people who are asked about it.
func (u *uses) text(t *manifest.UsesText) {
	if t == nil {
		return
	}
	n := u.args.At(t.Pointer)
	if n == nil || n.Kind != jsontree.String {
		return // the schema has refused it, or does not need it
	}
	names, err := t.Paths(n.Text)
	if err != nil {
		u.fault(t.Pointer, err.Error())
		return
	}
	resolved := make([]string, len(names))
	for i, name := range names {
		if resolved[i], err = u.path(name); err != nil {
			u.fault(t.Pointer, "names "+text.Quote(name, pointerMax)+", which "+err.Error())
			return
		}
	}
	for _, c := range [...]policy.Capability{policy.FSWrite, policy.FSRead} {
		for i, name := range names {
			u.add(c, t.Pointer, name, resolved[i])
		}
	}
}

// Named returns the paths of the files that the text of an argument names, by these names: those of the uses, which Uses has
// returned for the same arguments. nil: no text names any.
func Named(t *manifest.Tool, args *schema.Arguments, all []policy.Use) map[string]string {
	if t.Uses.Text == nil {
		return nil
	}
	n := args.Root.At(t.Uses.Text.Pointer)
	if n == nil || n.Kind != jsontree.String {
		return nil
	}
	names, err := t.Uses.Text.Paths(n.Text)
	if err != nil {
		return nil // Uses has said so
	}
	paths := map[string]string{}
	for _, u := range all {
		if u.Capability == policy.FSWrite && u.Pointer == t.Uses.Text.Pointer && len(paths) < len(names) {
			paths[names[len(paths)]] = u.Value
		}
	}
	return paths
}
