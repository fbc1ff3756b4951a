package sidecar

import (
	"context"
	"slices"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/surface/search"
)

// toolView shows the tools to those who list them over MCP or over the channel.
type toolView struct {
	// see returns what the maker of a request sees now. It returns soon.
	see func(ctx context.Context, r *call.Request) seen
	// changed returns a channel that is closed when some caller's tools may next have changed.
	changed func() <-chan struct{}
}

// seen is what one caller sees. It does not change.
type seen struct {
	revision string
	// all are the tools that a call can name. listed are those of them that are shown, and
	// deferred those that have to be searched for.
	all              *manifest.Snapshot
	listed, deferred []*manifest.Tool
}

// see returns what the maker of a request sees now.
func (s *sidecar) see(ctx context.Context, r *call.Request) seen {
	v := s.viewOf(r)
	return seen{revision: v.Revision(ctx), all: v.Snapshot(), listed: v.Listed(ctx), deferred: v.Deferred(ctx)}
}

// sees returns the tools that the maker of a request sees.
func (h *handler) sees(ctx context.Context, caller string) (seen, error) {
	if err := h.gate.Enter(ctx); err != nil {
		return seen{}, err
	}
	r := call.Request{Caller: caller}
	h.settleCaller(ctx, &r)
	h.readyPlatform(ctx, &r)
	return h.tools.see(ctx, &r), nil
}

// search returns at most limit of the deferred tools, the best first.
func (h *handler) search(s seen, query string, limit int) (tools []*manifest.Tool) {
	for _, hit := range h.searches.Index(s.all).Search(query, search.MaxLimit) {
		if t, ok := s.all.Lookup(hit.Name); ok && len(tools) < limit && slices.Contains(s.deferred, t) {
			tools = append(tools, t)
		}
	}
	return tools
}

// load returns the tools with these names that there are, listed or not.
func (s *seen) load(names []string) (tools []*manifest.Tool) {
	for _, name := range names {
		if t, ok := s.all.Lookup(name); ok && (slices.Contains(s.listed, t) || slices.Contains(s.deferred, t)) {
			tools = append(tools, t)
		}
	}
	return tools
}

// surface returns how a tool is shown to this caller: a constant of package manifest.
func (s *seen) surface(t *manifest.Tool) string {
	if slices.Contains(s.deferred, t) {
		return manifest.SurfaceDiscoverable
	}
	return manifest.SurfaceAlways
}
