package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// Prefix is what stands before an ID in a canonical name.
const Prefix = manifest.CoreNamespace + "."

// Tool is one tool of the sidecar's own. It does not change.
type Tool struct {
	// ID is the name that models see. It has no dot.
	ID string
	// Definition is the checked definition, with the canonical name.
	Definition *manifest.Tool
	// Above are names of files that the tool also reads in the directories that a path is in which it was given: up to the
	// first one that has something of the name Top, unless a rule denies them.
	Above []string
	Top   string
	// Extra is set for a tool that is not in the locked set: it is offered only if it is named.
	Extra bool

	run Run
}

// Run executes one call. It returns soon after ctx has ended; what it returns then, or wrote to Out
// before, is a partial result. Many goroutines may call it at once, each with a Call of its own.
type Run func(ctx context.Context, c *Call) (*Result, error)

// Run executes one call of the tool.
func (t *Tool) Run(ctx context.Context, c *Call) (*Result, error) { return t.run(ctx, c) }

// define makes a tool of its definition, whose Name is the ID.
func define(d manifest.Definition, run Run) *Tool {
	id := d.Name
	d.Name, d.Core, d.Instead = Prefix+id, true, instead(id)
	checked, err := manifest.Define(d)
	if err != nil {
		panic(fmt.Sprintf("tool: the definition of %s: %v", id, err)) // a test holds every definition
	}
	return &Tool{ID: id, Definition: checked, run: run}
}

// Canonical returns the canonical name for a name that a caller wrote: an ID is put behind the Prefix,
// any other name is returned as it is.
func Canonical(name string) string {
	if name == "" || strings.Contains(name, ".") {
		return name
	}
	return Prefix + name
}

// Shown returns the name that models see for a tool's name.
func Shown(name string) string { return strings.TrimPrefix(name, Prefix) }

// known is one tool that there is.
type known struct {
	id    string
	extra bool // it is not in the locked set
	make  func() *Tool
}

// catalogue lists the tools, in the order in which they are shown. hosts are as NewSet takes them.
func catalogue(hosts ...string) []known {
	return []known{
		{id: "read", make: read},
		{id: "write", make: write},
		{id: "edit", make: edit},
		{id: "glob", make: glob},
		{id: "grep", make: grep},
		{id: "bash", make: bash},
		{id: "todo", make: todo},
		{id: TaskID, make: func() *Tool { return task(nil) }},
		{id: "question", make: question},
		{id: WebSearchID, make: webSearch},
		{id: "web_fetch", make: func() *Tool { return webFetch(hosts) }},
		{id: SkillID, make: skill},
		{id: SearchID, make: toolSearch},
		{id: "apply_patch", extra: true, make: applyPatch},
		{id: "background", extra: true, make: background},
	}
}

// All returns every tool, also those that are offered only if they are named.
func All() []*Tool {
	var all []*Tool
	for _, k := range catalogue() {
		all = append(all, k.tool())
	}
	return all
}

func (k *known) tool() *Tool {
	t := k.make()
	t.Extra = k.extra
	return t
}

// IDs returns the IDs of all tools, in their order.
func IDs() []string {
	var ids []string
	for _, k := range catalogue() {
		ids = append(ids, k.id)
	}
	return ids
}

// RuledIDs returns the IDs of which rules can speak: those of all tools, and UndoID.
func RuledIDs() []string { return append(IDs(), UndoID) }

// Takes returns the setting without which a tool is not offered although it is named, "" for most.
func Takes(id string) string {
	switch id {
	case TaskID:
		return "--agents"
	case WebSearchID:
		return "--search-provider"
	}
	return ""
}

// Set is the tools that one sidecar offers. It does not change.
type Set struct {
	byName   map[string]*Tool // by canonical name
	snapshot *manifest.Snapshot
}

// The words that --tools takes beside the names of tools.
const (
	Core = "core" // the locked set
	None = "none"
)

// NewSet returns the tools that names say, as Wanted takes them. hosts are good patterns of hosts
// (netguard.HostPattern) that web_fetch may reach in addition to the public ones.
func NewSet(names []string, hosts ...string) (*Set, error) {
	wanted, err := Wanted(names)
	if err != nil {
		return nil, err
	}
	s := &Set{byName: map[string]*Tool{}}
	var definitions []*manifest.Tool
	for _, k := range catalogue(hosts...) {
		if slices.Contains(wanted, k.id) {
			t := k.tool()
			definitions = append(definitions, t.Definition)
			s.byName[t.Definition.Name] = t
		}
	}
	s.snapshot = manifest.Compose(definitions...)
	return s, nil
}

// Wanted returns the IDs of the tools that names say: IDs, canonical names, and the words Core and
// None. The error names what is none of them.
func Wanted(names []string) ([]string, error) {
	var ids []string
	for _, name := range names {
		id := Shown(name)
		switch {
		case name == None:
		case name == Core:
			for _, k := range catalogue() {
				if !k.extra {
					ids = append(ids, k.id)
				}
			}
		case slices.Contains(IDs(), id):
			ids = append(ids, id)
		default:
			return nil, fmt.Errorf("%q is no tool of the sidecar's; write %s, %s, or some of %s", name, Core, None, strings.Join(IDs(), ", "))
		}
	}
	return ids, nil
}

// Lookup returns the tool with a canonical name, nil if the set does not have it. A nil Set has none.
func (s *Set) Lookup(name string) *Tool {
	if s == nil {
		return nil
	}
	return s.byName[name]
}

// Has reports whether the set has the tool with an ID.
func (s *Set) Has(id string) bool { return s.Lookup(Prefix+id) != nil }

// Snapshot returns the definitions of the set's tools, in their order; nil for a nil Set.
func (s *Set) Snapshot() *manifest.Snapshot {
	if s == nil {
		return nil
	}
	return s.snapshot
}
