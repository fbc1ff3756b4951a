package sidecar

import (
	"sync"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
)

// toolMax is how much of a tool's native name is shown, in bytes.
const toolMax = 128

// nativeShown returns a tool's native name as text for people.
func nativeShown(native string) string { return text.Line(native, toolMax) }

// offers are the servers as the surface sees them: the same pointer until one of them has changed.
type offers struct {
	mu      sync.Mutex
	changed <-chan struct{} // closed when the servers' tools are others; nil: nothing is known
	all     *surface.Connectors
}

// connectors returns the servers, each with the tools that it has listed. A nil servers has none.
func (v *servers) connectors() *surface.Connectors {
	if v == nil {
		return nil
	}
	o := &v.offers
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.changed != nil {
		select {
		case <-o.changed:
		default:
			return o.all
		}
	}
	o.changed = v.Changed() // before Tools
	o.all = v.offered()
	return o.all
}

// offered makes the list.
func (v *servers) offered() *surface.Connectors {
	all := &surface.Connectors{}
	failures := map[string]string{}
	for _, st := range v.Status() {
		failures[st.Slug] = st.LastError
	}
	at := map[string]int{}
	for _, one := range v.file.Servers() {
		if !one.Disabled {
			at[one.Slug] = len(all.All)
			problem := "the MCP server has not listed its tools yet"
			if why := failures[one.Slug]; why != "" {
				problem = "the MCP server cannot list its tools: " + why
			}
			all.All = append(all.All, surface.Connector{Slug: one.Slug, Problem: problem})
		}
	}
	for _, l := range v.Tools() {
		i, ok := at[l.Slug]
		if !ok {
			continue // the file has just changed
		}
		c := &all.All[i]
		c.Tools, c.Problem = l.Tools, ""
		for _, p := range l.Problems {
			c.Lost = append(c.Lost, surface.Lost{Text: p.Error()})
		}
	}
	return all
}
