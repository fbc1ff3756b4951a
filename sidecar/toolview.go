package sidecar

import (
	"context"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
	"github.com/a2a-sidecar/sidecar/sidecar/surface/search"
)

// toolView shows the tools to those who list them or search for them.
type toolView struct {
	// of returns what the maker of a request sees now. It returns soon.
	of func(r *call.Request) *surface.View
	// changed returns a channel that is closed when some caller's tools may next have changed.
	changed func() <-chan struct{}
}

// sees returns what the maker of a request sees, once the sidecar takes work.
func (h *handler) sees(ctx context.Context, caller string) (*surface.View, error) {
	if err := h.gate.Enter(ctx); err != nil {
		return nil, err
	}
	return h.view(ctx, caller), nil
}

// view returns what the maker of a request sees.
func (h *handler) view(ctx context.Context, caller string) *surface.View {
	r := call.Request{Caller: caller}
	h.settleCaller(ctx, &r)
	h.readyPlatform(ctx, &r)
	return h.tools.of(&r)
}

// search returns at most limit of these tools of a view, the best first: those that its viewer may
// call. Only what was found is judged.
func (h *handler) search(ctx context.Context, v *surface.View, among *manifest.Snapshot, query string, limit int) []*manifest.Tool {
	var found []*manifest.Tool
	for _, hit := range h.searches.Index(among).Search(query, search.MaxLimit) {
		if t, ok := among.Lookup(hit.Name); ok {
			found = append(found, t)
		}
	}
	found = v.Callable(ctx, found)
	return found[:min(len(found), limit)]
}

// load returns the tools with these names that a view's viewer may call, listed or not.
func load(ctx context.Context, v *surface.View, names []string) []*manifest.Tool {
	var tools []*manifest.Tool
	for _, name := range names {
		if t, ok := v.Snapshot().Lookup(name); ok {
			tools = append(tools, t)
		}
	}
	return v.Callable(ctx, tools)
}

// shownTo returns how a tool is shown in a view: a constant of package manifest.
func shownTo(v *surface.View, t *manifest.Tool) string {
	if _, discovered := v.Discoverable().Lookup(t.Name); discovered {
		return manifest.SurfaceDiscoverable
	}
	return manifest.SurfaceAlways
}
