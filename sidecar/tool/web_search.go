package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
)

// WebSearchID is the ID of web_search.
const WebSearchID = "web_search"

// Search is how web_search searches.
type Search struct {
	// Providers are the canonical names of the tools that search. A session has one of them, the same one as
	// long as the list is the same.
	Providers []string
	// Calls is how many calls one session may make; those that fail count.
	Calls int
	// Timeout is the time of one search.
	Timeout time.Duration
}

// The bounds of a search.
const (
	maxSearchQuery = 1000 // characters, as the schema counts
	maxResults     = 50
	defaultResults = 10
)

// webSearch searches the web by a tool of the image's.
func webSearch() *Tool {
	return define(manifest.Definition{
		Name:        WebSearchID,
		Description: "Search the web: returns results with title, url and snippet. Fetch a result with web_fetch to read it. The number of searches in a conversation is limited.",
		InputSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{
			"query":{"type":"string","minLength":1,"maxLength":%d,"description":"what to search for"},
			"max_results":{"type":"integer","minimum":1,"maximum":%d,"default":%d,"description":"how many results at most"}},
			"required":["query"],"additionalProperties":false}`, maxSearchQuery, maxResults, defaultResults)),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"results":{"type":"array","items":{"type":"object","properties":{
			"title":{"type":"string"},"url":{"type":"string"},"snippet":{"type":"string"}},"required":["title","url","snippet"]}}},"required":["results"]}`),
		Effects: manifest.EffectsRead, Kind: "fetch", Requires: &manifest.Requires{},
	}, search)
}

// errNoCalls is the error of a call that can call nothing.
var errNoCalls = errors.New("nothing that searches can be called from here")

func search(ctx context.Context, c *Call) (*Result, error) {
	var args struct {
		Query string
		Max   int `json:"max_results"`
	}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	provider := c.Search.Provider(c.Session.ID)
	if provider == "" || c.Calls == nil {
		return nil, errNoCalls
	}
	if !c.Session.searched(c.Search.Calls) {
		return nil, fmt.Errorf("this conversation has made its %s: work with what they found, or fetch pages that you know with web_fetch", text.CountOf(c.Search.Calls, "search", "searches"))
	}
	nested, err := text.JSON(map[string]any{"query": args.Query, "max_results": args.Max})
	if err != nil {
		return nil, err
	}
	answer, err := c.Calls.Call(ctx, Nested{Tool: provider, Args: nested, Timeout: c.Search.Timeout, Covered: true})
	if err != nil {
		return nil, fmt.Errorf("the search by %s: %w", provider, err)
	}
	found, err := results(answer, args.Max)
	if err != nil {
		return nil, fmt.Errorf("the search by %s: %w", provider, err)
	}
	data, err := text.JSON(map[string]any{"results": found})
	return &Result{Data: data}, err
}

// Provider returns the provider of a session, "" if there is none. It depends on the session's ID and the
// list alone: one that fails does so in each call of a session, and not in some of them.
func (s *Search) Provider(session string) string {
	if len(s.Providers) == 0 {
		return ""
	}
	h := fnv.New64a()
	h.Write([]byte(session))
	return s.Providers[h.Sum64()%uint64(len(s.Providers))]
}

// searched counts a search. It reports false if there were limit of them.
func (s *Session) searched(limit int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.searches >= limit {
		return false
	}
	s.searches++
	return true
}
