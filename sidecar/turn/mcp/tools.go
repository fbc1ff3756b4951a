package mcp

import (
	"cmp"
	"strings"
	"sync"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
)

// list is the agent's list as a manifest: the same pointer until it has changed.
type list struct {
	mu   sync.Mutex
	from *client.List
	slug string // of the first list: names do not change with a process that calls itself otherwise
	all  *manifest.Snapshot
}

// Snapshot returns the tools of the agent, none until it has listed them. Their namespace is that
// of name, if it has one, else of what the agent calls itself, else Server; reserved ones are not
// taken.
func (a *Agent) Snapshot(name string, reserved []string) *manifest.Snapshot {
	l := &a.list
	l.mu.Lock()
	defer l.mu.Unlock()
	var now *client.List
	if lists := a.servers.Tools(); len(lists) > 0 {
		now = lists[0]
	}
	if l.all != nil && now == l.from {
		return l.all
	}
	l.from = now
	var tools []*manifest.Tool
	if now != nil {
		if l.slug == "" {
			l.slug = namespace(cmp.Or(name, now.Name), reserved)
		}
		for _, t := range now.Tools {
			if own, err := renamed(t, l.slug); err == nil { // it was good under another name
				tools = append(tools, own)
			}
		}
	}
	l.all = manifest.Compose(tools...)
	return l.all
}

// namespace returns the namespace of the agent's tools.
func namespace(name string, reserved []string) string {
	slug := manifest.Segment(name)
	if slug == "" || manifest.ReservedBy(slug, reserved) != "" {
		return Server
	}
	return slug
}

// renamed returns a tool of the client's in another namespace.
func renamed(t *manifest.Tool, slug string) (*manifest.Tool, error) {
	external := *t.External
	external.Server = slug
	return manifest.Define(manifest.Definition{
		Name: slug + strings.TrimPrefix(t.Name, Server), Description: t.Description, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
		Effects: t.Effects, External: &external, MCP: t.Bridge.MCP,
	})
}
