package face

import (
	"bytes"
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// SearchName is the tool that finds the tools which are not listed.
const SearchName = "core.tool_search"

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

// searchTool returns its definition.
func searchTool() Tool {
	return Tool{
		Name: SearchName, Always: true, ReadOnly: true,
		Description: "Find tools that the list does not show. With query, returns the names and descriptions of the tools that match best. " +
			"With load, returns the whole definitions of the named tools and adds them to the list. Every tool that is found can be called by its name.",
		Input: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{`+
			`"query":{"type":"string","maxLength":%d,"description":"Words that say what the tool does."},`+
			`"limit":{"type":"integer","minimum":1,"maximum":%d,"description":"How many tools to return, %d by default."},`+
			`"load":{"type":"array","items":{"type":"string"},"maxItems":%d,"description":"Names of tools to load."}`+
			`},"additionalProperties":false}`, maxQuery, searchMost, searchLimit, loadMost)),
	}
}

// searchArguments are those of a call of the search tool.
type searchArguments struct {
	Query string   `json:"query"`
	Limit *int     `json:"limit"`
	Load  []string `json:"load"`
}

// searched is the answer.
type searched struct {
	Tools  []Hit        `json:"tools,omitempty"`
	Loaded []definition `json:"loaded,omitempty"`
	// Unknown are the names that no tool has.
	Unknown []string `json:"unknown,omitempty"`
}

// definition is a loaded tool.
type definition struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
}

// readSearch reads and checks the arguments.
func readSearch(raw json.RawMessage) (a searchArguments, limit int, err error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err = d.Decode(&a)
	if _, more := d.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("more follows the object")
	}
	limit = searchLimit
	switch {
	case err != nil:
		return a, 0, fmt.Errorf(`want {"query"?: string, "limit"?: number, "load"?: [string]}: %w`, err)
	case a.Query == "" && len(a.Load) == 0:
		return a, 0, errors.New("/query or /load is required")
	case len(a.Query) > maxQuery:
		return a, 0, fmt.Errorf("/query has at most %d bytes, this one %d", maxQuery, len(a.Query))
	case len(a.Load) > loadMost:
		return a, 0, fmt.Errorf("/load has at most %d names, this one %d", loadMost, len(a.Load))
	case a.Limit != nil && (*a.Limit < 1 || *a.Limit > searchMost):
		return a, 0, fmt.Errorf("/limit is from 1 to %d, not %d", searchMost, *a.Limit)
	case a.Limit != nil:
		limit = *a.Limit
	}
	return a, limit, nil
}

// search answers a call of the search tool.
func (f *Face) search(ctx context.Context, raw json.RawMessage) (*mcp.CallToolResult, error) {
	a, limit, err := readSearch(raw)
	if err != nil {
		return failure("invalid arguments of "+SearchName+": "+err.Error(), "invalid_arguments"), nil
	}
	var s searched
	if a.Query != "" {
		if s.Tools, err = f.b.Search(ctx, a.Query, limit); err != nil {
			return unavailable(err), nil
		}
	}
	if len(a.Load) > 0 {
		tools, err := f.b.Load(ctx, a.Load)
		if err != nil {
			return unavailable(err), nil
		}
		for _, t := range tools {
			s.Loaded = append(s.Loaded, definition{t.Name, t.Description, t.Input, t.Output})
		}
		for _, name := range a.Load {
			if !slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == name }) {
				s.Unknown = append(s.Unknown, name)
			}
		}
		if f.loaded.add(tools) {
			f.Notify()
		}
	}
	body, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(body)}}, StructuredContent: json.RawMessage(body)}, nil
}

// loadedTools returns the loaded tools that exist and are not among those that are always listed.
func (f *Face) loadedTools(ctx context.Context, always []Tool) ([]Tool, error) {
	names := f.loaded.names()
	if len(names) == 0 {
		return nil, nil
	}
	tools, err := f.b.Load(ctx, names)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(tools, func(t Tool) bool {
		return slices.ContainsFunc(always, func(a Tool) bool { return a.Name == t.Name })
	}), nil
}

// loaded are the tools that a caller has loaded by name, the one used last at the end.
type loaded struct {
	most int

	mu    sync.Mutex
	order *list.List // of string
	at    map[string]*list.Element
}

// add adds tools, and drops those that were used least recently if there are too many. It reports
// whether there is a new one.
func (l *loaded) add(tools []Tool) (grown bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.order == nil {
		l.order, l.at = list.New(), make(map[string]*list.Element)
	}
	for _, t := range tools {
		if e := l.at[t.Name]; e != nil {
			l.order.MoveToBack(e)
			continue
		}
		l.at[t.Name], grown = l.order.PushBack(t.Name), true
		if l.order.Len() > l.most {
			delete(l.at, l.order.Remove(l.order.Front()).(string))
		}
	}
	return grown
}

// used moves a tool to the end, if it is loaded.
func (l *loaded) used(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.at[name]; e != nil {
		l.order.MoveToBack(e)
	}
}

// names returns the names in a stable order.
func (l *loaded) names() (all []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name := range l.at {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
