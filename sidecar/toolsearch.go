package sidecar

import (
	"context"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/surface/search"
)

// SearchTools handles GET /a2a/tools with a query: it searches what the caller sees. The index of
// a list is made by the first search of it.
func (h *handler) SearchTools(ctx context.Context, r *a2a.ToolSearch) ([]a2a.FoundTool, error) {
	switch {
	case strings.TrimSpace(r.Query) == "":
		return nil, a2a.ErrInvalidParams.With("query is empty: write what the tool does, or leave query out for the whole list").At("query")
	case len(r.Query) > search.MaxQuery:
		return nil, a2a.ErrInvalidParams.With("query has %d bytes; write it in at most %d", len(r.Query), search.MaxQuery).At("query")
	case r.Limit > search.MaxLimit:
		return nil, a2a.ErrInvalidParams.With("limit is %d; at most %d tools are returned", r.Limit, search.MaxLimit).At("limit")
	}
	limit := r.Limit
	if limit == 0 {
		limit = search.DefaultLimit
	}
	v := h.view(ctx, r.Caller)
	tools := h.search(ctx, v, v.Snapshot(), r.Query, limit)
	found := make([]a2a.FoundTool, len(tools))
	for i, t := range tools {
		found[i] = a2a.FoundTool{Name: t.Name, Description: t.Description}
	}
	return found, nil
}
