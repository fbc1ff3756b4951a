package face

import (
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// SearchName is the tool that finds the tools which are not listed, of a Backend that has none itself.
const SearchName = tool.Prefix + tool.SearchID

// searchTool returns its definition: that of the sidecar's own tool.
func searchTool() Tool {
	d := ownSearch().Definition
	return Tool{Name: SearchName, Always: true, ReadOnly: true, Description: d.Description, Input: d.InputSchema}
}

// ownSearch returns the sidecar's tool that finds tools.
func ownSearch() *tool.Tool {
	all := tool.All()
	return all[slices.IndexFunc(all, func(t *tool.Tool) bool { return t.ID == tool.SearchID })]
}

// backendFinder finds tools of a Backend, and keeps those that are loaded.
type backendFinder struct{ f *Face }

var _ tool.Finder = backendFinder{}

// Search implements tool.Finder.
func (b backendFinder) Search(ctx context.Context, query string, limit int) ([]tool.Found, error) {
	return b.f.b.Search(ctx, query, limit)
}

// Load implements tool.Finder.
func (b backendFinder) Load(ctx context.Context, names []string) ([]tool.Definition, error) {
	tools, err := b.f.b.Load(ctx, names)
	if err != nil {
		return nil, err
	}
	var all []tool.Definition
	for _, t := range tools {
		all = append(all, tool.Definition{Name: t.Name, Description: t.Description, InputSchema: t.Input, OutputSchema: t.Output})
	}
	b.f.keep(tools)
	return all, nil
}

// keep lists tools from now on.
func (f *Face) keep(tools []Tool) {
	if f.loaded.add(tools) {
		f.Notify()
	}
}

// searches reports whether a name is that of the face's own search tool: the Backend has none.
func (f *Face) searches(ctx context.Context, name string) (bool, error) {
	if tool.Canonical(name) != SearchName {
		return false, nil
	}
	l, err := f.b.Tools(ctx)
	return err == nil && !l.Searches, err
}

// search answers a call of the face's own search tool.
func (f *Face) search(ctx context.Context, raw json.RawMessage) (*mcp.CallToolResult, error) {
	res, err := ownSearch().Run(ctx, &tool.Call{Args: raw, Finder: backendFinder{f}})
	var bad *tool.SearchError
	switch {
	case errors.As(err, &bad):
		return failure("invalid arguments of "+SearchName+": "+err.Error(), "invalid_arguments"), nil
	case err != nil:
		return unavailable(err), nil
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(res.Data)}}, StructuredContent: res.Data}, nil
}

// keepFound lists what the Backend's own search tool has loaded, if that is what was called.
func (f *Face) keepFound(ctx context.Context, r *running) {
	if tool.Canonical(r.name) != SearchName || r.res == nil {
		return
	}
	var e envelope
	var found struct {
		Loaded []struct {
			Name string `json:"name"`
		} `json:"loaded"`
	}
	if json.Unmarshal(r.res.Envelope, &e) != nil || e.Type != "output" || json.Unmarshal(e.Data, &found) != nil || len(found.Loaded) == 0 {
		return
	}
	var names []string
	for _, one := range found.Loaded {
		names = append(names, one.Name)
	}
	if tools, err := f.b.Load(ctx, names); err == nil { // else they can be called all the same
		f.keep(tools)
	}
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
