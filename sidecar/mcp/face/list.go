package face

import (
	"context"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A page ends at PageTools tools or at about PageBytes bytes, whichever comes first. One tool
// always fits.
const (
	PageTools = 1000
	PageBytes = 4 << 20
)

// AlwaysLoad is the member of a tool's _meta by which a client is told to show the tool to its
// model at once, and not after a search.
const AlwaysLoad = "anthropic/alwaysLoad"

// scopePrivate says that nobody may show what this caller sees to another one.
const scopePrivate = "private"

// list answers tools/list.
func (f *Face) list(ctx context.Context, p *mcp.ListToolsParams) (*mcp.ListToolsResult, error) {
	l, err := f.b.Tools(ctx)
	if err != nil {
		return nil, fault(err)
	}
	tools := l.Tools
	if l.Discoverable > 0 {
		more, err := f.loadedTools(ctx, tools)
		if err != nil {
			return nil, fault(err)
		}
		tools = slices.Concat(tools, more)
		if !l.Searches {
			tools = slices.Concat([]Tool{searchTool()}, tools)
		}
	}
	cursor := ""
	if p != nil {
		cursor = p.Cursor
	}
	from, ok := position(cursor, tools)
	if !ok {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the cursor is none of this server's"}
	}
	to := pageEnd(tools, from)
	r := &mcp.ListToolsResult{Cacheable: mcp.Cacheable{CacheScope: scopePrivate}, Tools: make([]*mcp.Tool, 0, to-from)}
	for i := from; i < to; i++ {
		r.Tools = append(r.Tools, wireTool(&tools[i]))
	}
	f.schemas.set(tools[from:to])
	if to < len(tools) {
		r.NextCursor = cursorAfter(to, tools[to-1].Name)
	}
	return r, nil
}

// pageEnd returns where the page ends that begins at from.
func pageEnd(tools []Tool, from int) int {
	size := 0
	for i := from; i < len(tools); i++ {
		t := &tools[i]
		size += len(t.Name) + len(t.Description) + len(t.Input) + len(t.Output)
		if i > from && (i-from >= PageTools || size > PageBytes) {
			return i
		}
	}
	return len(tools)
}

// cursorAfter returns the cursor of the page that begins at an index, after the tool with that
// name.
func cursorAfter(at int, name string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(at) + " " + name))
}

// position returns where the page of a cursor begins: after the tool that the last page ended
// with or, if that has gone, where it was. It reports whether it is a cursor.
func position(cursor string, tools []Tool) (at int, ok bool) {
	if cursor == "" {
		return 0, true
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return 0, false
	}
	number, name, found := strings.Cut(string(raw), " ")
	at, err = strconv.Atoi(number)
	if !found || err != nil || at < 1 {
		return 0, false
	}
	if at <= len(tools) && tools[at-1].Name == name {
		return at, true
	}
	if i := slices.IndexFunc(tools, func(t Tool) bool { return t.Name == name }); i >= 0 {
		return i + 1, true
	}
	return min(at, len(tools)), true
}

// wireTool returns a tool as MCP has it.
func wireTool(t *Tool) *mcp.Tool {
	w := &mcp.Tool{Name: t.Name, Description: t.Description, InputSchema: t.Input}
	if t.Output != nil {
		w.OutputSchema = t.Output
	}
	if t.ReadOnly {
		w.Annotations = &mcp.ToolAnnotations{ReadOnlyHint: true}
	}
	if t.Always {
		w.Meta = mcp.Meta{AlwaysLoad: true}
	}
	return w
}

// promised are the names of the tools that were listed with an output schema: some clients
// refuse a result of such a tool that has no structured content.
type promised struct {
	mu    sync.Mutex
	names map[string]bool
}

// maxPromised bounds the names that are kept. The list of a caller with more begins anew.
const maxPromised = 20_000

func (p *promised) set(listed []Tool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.names == nil || len(p.names) > maxPromised {
		p.names = make(map[string]bool)
	}
	for i := range listed {
		if listed[i].Output != nil {
			p.names[listed[i].Name] = true
		} else {
			delete(p.names, listed[i].Name)
		}
	}
}

func (p *promised) has(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.names[name]
}
