package sidecar

import (
	"context"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/surface/search"
)

// SearchTools handles GET /a2a/tools with a query. The index of a list is made by the first
// search of it.
func (h *handler) SearchTools(_ context.Context, r *a2a.ToolSearch) ([]a2a.FoundTool, error) {
	switch {
	case strings.TrimSpace(r.Query) == "":
		return nil, a2a.ErrInvalidParams.With("query is empty: write what the tool does, or leave query out for the whole list").At("query")
	case len(r.Query) > search.MaxQuery:
		return nil, a2a.ErrInvalidParams.With("query has %d bytes; write it in at most %d", len(r.Query), search.MaxQuery).At("query")
	case r.Limit > search.MaxLimit:
		return nil, a2a.ErrInvalidParams.With("limit is %d; at most %d tools are returned", r.Limit, search.MaxLimit).At("limit")
	}
	hits := h.searches.Index(h.cards.source()).Search(r.Query, r.Limit)
	found := make([]a2a.FoundTool, len(hits))
	for i, hit := range hits {
		found[i] = a2a.FoundTool{Name: hit.Name, Description: hit.Description}
	}
	return found, nil
}
