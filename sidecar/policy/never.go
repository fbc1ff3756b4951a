package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// never warns about rules that can never decide anything.
func (d *decoder) never() {
	for i, r := range d.rules {
		at := d.places[i]
		switch message, hint := d.useless(r); {
		case message != "":
			d.Warn(at.offset, at.pointer, message, hint)
		default:
			if by := d.shadow(i); by != nil {
				d.Warn(at.offset, at.pointer, fmt.Sprintf("the rule never decides: line %d says %s for the same", by.Line, by.Verdict), "remove one of the two")
			}
		}
	}
}

// useless returns why a rule matches nothing by itself.
func (d *decoder) useless(r *rule) (message, hint string) {
	switch {
	case r.Callers != nil && len(r.Callers) == 0:
		return "the rule names no callers: it never matches", "name callers, or leave callers out for all"
	case d.file.Scope == ScopeProject && r.Verdict == Allow && !d.opts.TrustProject:
		return "a project's rule allows nothing: it can only make the policy stricter", "remove it, or start with --trust-project"
	}
	return d.unknown(r)
}

// unknown returns why there is nothing of which a rule could speak.
func (d *decoder) unknown(r *rule) (message, hint string) {
	if r.capability != "" || r.reach == 0 {
		return "", ""
	}
	first, rest, _ := strings.Cut(r.Permission, ".")
	exists := d.exists(r)
	if family := family(first); family != nil && !exists && rest != "*" {
		hint := "the capabilities are fs.read, fs.write, net.fetch and shell.run"
		if near := jsontree.Nearest(r.Permission, family); near != "" {
			hint = "write " + quote(near)
		}
		return quote(r.Permission) + " is no capability: the rule never matches", hint
	}
	if exists {
		return "", ""
	}
	if near, core := nearCore(r.Permission); core {
		if near != "" {
			hint = "write " + quote(near)
		}
		return "the sidecar has no tool " + quote(tool.Shown(r.Permission)) + " of its own: the rule never matches", hint
	}
	if d.opts.Tools == nil {
		return "", ""
	}
	if strings.HasSuffix(r.Permission, "*") {
		return "there is no tool in " + quote(r.Permission) + ": the rule never matches", ""
	}
	near := d.opts.Tools.Suggest(r.Permission)
	if strings.HasPrefix(r.Permission, OwnTool("")) {
		near = jsontree.Nearest(r.Permission, ownTools())
	}
	if near != "" {
		hint = "write " + quote(near)
	}
	return "there is no tool " + quote(r.Permission) + ": the rule never matches", hint
}

// nearCore returns the ID of the tool of the sidecar's own that is nearest to a name, "" if none is near,
// and reports whether the name can be that of such a tool only.
func nearCore(name string) (near string, core bool) {
	namespace, _, dotted := strings.Cut(name, ".")
	if dotted && namespace != manifest.CoreNamespace {
		return "", false
	}
	return jsontree.Nearest(tool.Shown(name), tool.RuledIDs()), true
}

// family returns the capabilities whose first word is the same, nil for none.
func family(first string) []string {
	var out []string
	for _, c := range Capabilities() {
		if strings.HasPrefix(string(c), first+".") {
			out = append(out, string(c))
		}
	}
	return out
}

// ownTools lists the names of the agent's own tools.
func ownTools() []string {
	var names []string
	for _, kind := range manifest.ToolKinds() {
		names = append(names, OwnTool(kind))
	}
	return names
}

// exists reports whether there is a tool of which a rule speaks.
func (d *decoder) exists(r *rule) bool {
	for _, kind := range manifest.ToolKinds() {
		if r.ofTools(OwnTool(kind)) {
			return true
		}
	}
	for _, id := range tool.RuledIDs() {
		if r.ofTools(tool.Canonical(id)) {
			return true
		}
	}
	if d.opts.Tools == nil {
		return false
	}
	for _, t := range d.opts.Tools.Tools() {
		if r.ofTools(t.Name) {
			return true
		}
	}
	return false
}

// shadow returns a rule of the same values that always wins over rule i, nil if there is
// none.
func (d *decoder) shadow(i int) *rule {
	r := d.rules[i]
	for j, o := range d.rules {
		same := o.Permission == r.Permission && o.Pattern == r.Pattern && o.Pointer == r.Pointer
		if i == j || !same || (o.Callers == nil) != (r.Callers == nil) || o.Verdict > r.Verdict || o.Verdict == r.Verdict && j > i {
			continue
		}
		if !slices.ContainsFunc(r.Callers, func(name string) bool { return !slices.Contains(o.Callers, name) }) {
			return o
		}
	}
	return nil
}
