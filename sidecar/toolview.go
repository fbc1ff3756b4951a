package sidecar

import (
	"context"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
	"github.com/a2a-sidecar/sidecar/sidecar/surface/search"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// toolView shows the tools to those who list them or search for them.
type toolView struct {
	// of returns what the maker of a request sees now. It returns soon.
	of func(r *call.Request) *surface.View
	// changed returns a channel that is closed when some caller's tools may next have changed.
	changed func() <-chan struct{}
	// searches says that --tools offers the tool that finds tools: the faces then offer none of their own,
	// also where the rules deny it.
	searches bool
	// told returns what a model is told in addition to the tools' own descriptions, "" for nothing.
	told func(ctx context.Context) string
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
	r := call.Request{Caller: caller, ContextID: mcpConversation(ctx)}
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

// findTools returns at most limit of the tools that a view's viewer has to search for, the best first, by the
// names that models see.
func (h *handler) findTools(ctx context.Context, v *surface.View, query string, limit int) []tool.Found {
	var all []tool.Found
	for _, t := range h.search(ctx, v, v.Discoverable(), query, limit) {
		all = append(all, tool.Found{Name: tool.Shown(t.Name), Description: t.Description})
	}
	return all
}

// finder implements call.Options.Finder.
type finder struct {
	h *handler
	r call.Request
}

var _ tool.Finder = finder{}

// view returns what the maker of the request sees now.
func (f finder) view(ctx context.Context) *surface.View {
	f.h.readyPlatform(ctx, &f.r)
	return f.h.tools.of(&f.r)
}

// Search implements tool.Finder.
func (f finder) Search(ctx context.Context, query string, limit int) ([]tool.Found, error) {
	return f.h.findTools(ctx, f.view(ctx), query, limit), nil
}

// Load implements tool.Finder.
func (f finder) Load(ctx context.Context, names []string) ([]tool.Definition, error) {
	var all []tool.Definition
	for _, t := range load(ctx, f.view(ctx), names) {
		all = append(all, tool.Definition{Name: tool.Shown(t.Name), Description: t.Description, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema})
	}
	return all, nil
}

// load returns the tools with these names that a view's viewer may call, listed or not. The sidecar's own
// are known by their IDs, too.
func load(ctx context.Context, v *surface.View, names []string) []*manifest.Tool {
	var tools []*manifest.Tool
	for _, name := range names {
		if t, ok := v.Snapshot().Lookup(tool.Canonical(name)); ok {
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
