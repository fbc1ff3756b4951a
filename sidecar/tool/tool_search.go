package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
)

// SearchID is the ID of the tool that finds tools. It is always listed: nothing else finds it.
const SearchID = "tool_search"

// Finder finds tools for the caller of a call. Its methods may be called from any goroutine.
type Finder interface {
	// Search returns at most limit of the tools that are not listed, the best first.
	Search(ctx context.Context, query string, limit int) ([]Found, error)
	// Load returns the definitions of the tools with these names that the caller may call, in this
	// order, without those that do not exist.
	Load(ctx context.Context, names []string) ([]Definition, error)
}

// Found is one tool that was found.
type Found struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Definition is one tool that was loaded. OutputSchema is nil if none is declared.
type Definition struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
}

// The bounds of one search.
const (
	// searchLimit is how many tools a search returns if the caller does not say, and searchMost
	// how many at most.
	searchLimit = 10
	searchMost  = 50
	// loadMost is how many tools one call may load.
	loadMost = 20
	// maxQuery is the longest query, in bytes.
	maxQuery = 1 << 10
)

// ErrNoFinder says that there is nothing to search.
var ErrNoFinder = errors.New("there are no tools to be found here: every tool is listed")

// SearchError says what is wrong with the arguments of a search.
type SearchError struct{ error }

// Unwrap returns what is wrong.
func (e *SearchError) Unwrap() error { return e.error }

// toolSearch finds tools that no list shows.
func toolSearch() *Tool {
	return define(manifest.Definition{
		Name: SearchID,
		Description: "Find tools that the list does not show. With query, returns the names and descriptions of the tools that match best. " +
			"With load, returns the whole definitions of the named tools and adds them to the list. Every tool that is found can be called by its name.",
		InputSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{`+
			`"query":{"type":"string","maxLength":%d,"description":"Words that say what the tool does."},`+
			`"limit":{"type":"integer","minimum":1,"maximum":%d,"description":"How many tools to return, %d by default."},`+
			`"load":{"type":"array","items":{"type":"string"},"maxItems":%d,"description":"Names of tools to load."}`+
			`},"additionalProperties":false}`, maxQuery, searchMost, searchLimit, loadMost)),
		Effects: manifest.EffectsRead, Kind: "search", Requires: &manifest.Requires{},
	}, searchTools)
}

// SearchArguments are those of a call of the search tool.
type SearchArguments struct {
	Query string   `json:"query"`
	Limit *int     `json:"limit"`
	Load  []string `json:"load"`
}

// ReadSearch reads and checks the arguments of a search; none are {}. The error is a *SearchError.
func ReadSearch(raw json.RawMessage) (a SearchArguments, err error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err = d.Decode(&a)
	if _, more := d.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("more follows the object")
	}
	switch {
	case err != nil:
		err = fmt.Errorf(`want {"query"?: string, "limit"?: number, "load"?: [string]}: %w`, err)
	case a.Query == "" && len(a.Load) == 0:
		err = errors.New("/query or /load is required")
	case len(a.Query) > maxQuery:
		err = fmt.Errorf("/query has at most %d bytes, this one %d", maxQuery, len(a.Query))
	case len(a.Load) > loadMost:
		err = fmt.Errorf("/load has at most %d names, this one %d", loadMost, len(a.Load))
	case a.Limit != nil && (*a.Limit < 1 || *a.Limit > searchMost):
		err = fmt.Errorf("/limit is from 1 to %d, not %d", searchMost, *a.Limit)
	}
	if err != nil {
		return a, &SearchError{err}
	}
	return a, nil
}

func searchTools(ctx context.Context, c *Call) (*Result, error) {
	a, err := ReadSearch(c.Args)
	if err != nil {
		return nil, err
	}
	if c.Finder == nil {
		return nil, ErrNoFinder
	}
	var s struct {
		Tools  []Found      `json:"tools,omitempty"`
		Loaded []Definition `json:"loaded,omitempty"`
		// Unknown are the names that no tool has.
		Unknown []string `json:"unknown,omitempty"`
	}
	if a.Query != "" {
		limit := searchLimit
		if a.Limit != nil {
			limit = *a.Limit
		}
		if s.Tools, err = c.Finder.Search(ctx, a.Query, limit); err != nil {
			return nil, err
		}
	}
	if len(a.Load) > 0 {
		if s.Loaded, err = c.Finder.Load(ctx, a.Load); err != nil {
			return nil, err
		}
		for _, name := range a.Load {
			known := func(d Definition) bool { return Canonical(d.Name) == Canonical(name) }
			if !slices.ContainsFunc(s.Loaded, known) {
				s.Unknown = append(s.Unknown, name)
			}
		}
	}
	data, err := text.JSON(s)
	return &Result{Data: bytes.TrimSpace(data)}, err
}
