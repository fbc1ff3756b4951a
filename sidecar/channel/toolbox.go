package channel

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Toolbox tells agents which of the sidecar's tools they can call. Its methods may be called from
// many goroutines. An error that is no *Error becomes an internal error.
type Toolbox interface {
	// Tools returns the tools that an owner's agent sees at once.
	Tools(ctx context.Context, o Owner) (ToolList, error)
	// SearchTools returns at most limit of the other ones, the best first.
	SearchTools(ctx context.Context, o Owner, query string, limit int) ([]FoundTool, error)
	// LoadTools returns the tools with these names, in this order, without those that the agent
	// cannot see.
	LoadTools(ctx context.Context, o Owner, names []string) ([]ToolDefinition, error)
	// ToolsChanged returns a channel that is closed when the lists may next have changed.
	ToolsChanged() <-chan struct{}
}

// ToolList are the tools that an agent sees.
type ToolList struct {
	// Revision distinguishes this list from others.
	Revision string
	Tools    []ToolDefinition
	// Discoverable is how many more there are, which SearchTools finds.
	Discoverable int
	// Searches says that the sidecar has a tool of its own that finds them: whoever shows the list adds
	// none.
	Searches bool
	// Instructions are what the agent may tell its model of the tools, at most MaxInstructions bytes; "" for nothing.
	Instructions string
}

// ToolDefinition is one tool. Schemas are compact JSON; OutputSchema is nil if none is declared.
type ToolDefinition struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Effects      string          `json:"effects,omitempty"` // "read" or "write"
	Surface      string          `json:"surface,omitempty"` // "always" or "discoverable"
}

// FoundTool is one tool that was found.
type FoundTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

const (
	// MaxInstructions is how many bytes of instructions are sent.
	MaxInstructions = 128 << 10
	// MaxLoad is how many tools one tools/load may name.
	MaxLoad = 256
	// MaxFound is how many tools one tools/search may return.
	MaxFound = 100
	// maxDescription is how many bytes of a description are sent.
	maxDescription = 64 << 10
	// listBytes is how many bytes the tools of one page may have, as JSON.
	listBytes = MaxEnvelope - 1<<10
	// changePause is how long a peer that reads slowly is left before it is told of a change.
	changePause = time.Second
)

type listParams struct {
	Cursor string `json:"cursor,omitempty"`
}

type listResult struct {
	Tools        []json.RawMessage `json:"tools"`
	NextCursor   string            `json:"nextCursor,omitempty"`
	Revision     string            `json:"revision"`
	Discoverable int               `json:"discoverable,omitempty"`
	Searches     bool              `json:"searches,omitempty"`
	Instructions string            `json:"instructions,omitempty"` // in the first page
}

type searchParams struct {
	Query string `json:"query"`
	Limit int    `json:"limit,omitempty"`
}

type searchResult struct {
	Tools []FoundTool `json:"tools"`
}

type loadParams struct {
	Names []string `json:"names"`
}

type loadResult struct {
	Tools []ToolDefinition `json:"tools"`
}

// askTools answers what an agent asks about tools, while later frames are handled.
func (c *Conn) askTools(m *message) {
	box := c.s.opts.Toolbox
	var answer func(ctx context.Context) (any, error)
	var err error
	switch {
	case box == nil:
		err = ErrMethod.With("method not found: %q: this sidecar shows its agent no tools", m.method)
	case m.method == methodListTools:
		answer, err = c.listTools(m, box)
	case m.method == methodSearchTools:
		answer, err = c.searchTools(m, box)
	default:
		answer, err = c.loadTools(m, box)
	}
	if err != nil || m.notification() {
		c.link.reply(m, nil, err)
		return
	}
	select {
	case c.lookups <- struct{}{}:
	default:
		c.link.reply(m, nil, ErrBusy)
		return
	}
	m = &message{id: m.id} // its parameters have been read
	c.beside.Go(func() {
		defer func() { <-c.lookups }()
		result, err := answer(c.ctx)
		c.link.reply(m, result, err)
	})
}

func (c *Conn) listTools(m *message, box Toolbox) (func(context.Context) (any, error), error) {
	var p listParams
	if err := decode(m.params, &p); err != nil {
		return nil, err
	}
	if !c.watches {
		c.watches = true
		changed := box.ToolsChanged()
		c.beside.Go(func() { c.watchTools(box, changed) })
	}
	return func(ctx context.Context) (any, error) {
		l, err := box.Tools(ctx, c.grant.owner)
		if err != nil {
			return nil, err
		}
		return page(&l, p.Cursor)
	}, nil
}

// page returns the page of a list that a cursor names.
func page(l *ToolList, cursor string) (*listResult, error) {
	from := 0
	if cursor != "" {
		at, revision, _ := strings.Cut(cursor, " ")
		n, err := strconv.Atoi(at)
		if err != nil || n < 0 || n > len(l.Tools) || revision != l.Revision {
			return nil, invalid("cursor", "the list has changed: begin again without one")
		}
		from = n
	}
	r := &listResult{Tools: []json.RawMessage{}, Revision: l.Revision, Discoverable: l.Discoverable, Searches: l.Searches}
	size := 0
	if from == 0 && l.Instructions != "" {
		r.Instructions = text.Shorten(l.Instructions, MaxInstructions)
		raw, err := text.JSON(r.Instructions)
		if err != nil {
			return nil, err
		}
		size = len(raw)
	}
	for i := from; i < len(l.Tools); i++ {
		t := l.Tools[i]
		t.Description = text.Shorten(t.Description, maxDescription)
		raw, err := text.JSON(t)
		if err != nil {
			return nil, err
		}
		if size += len(raw) + 1; size > listBytes && len(r.Tools) > 0 {
			r.NextCursor = strconv.Itoa(i) + " " + l.Revision
			break
		}
		r.Tools = append(r.Tools, raw)
	}
	return r, nil
}

func (c *Conn) searchTools(m *message, box Toolbox) (func(context.Context) (any, error), error) {
	var p searchParams
	if err := decode(m.params, &p); err != nil {
		return nil, err
	}
	switch {
	case strings.TrimSpace(p.Query) == "":
		return nil, invalid("query", "is empty")
	case p.Limit < 0 || p.Limit > MaxFound:
		return nil, invalid("limit", "must be from 1 to %d", MaxFound)
	case p.Limit == 0:
		p.Limit = MaxFound
	}
	return func(ctx context.Context) (any, error) {
		found, err := box.SearchTools(ctx, c.grant.owner, p.Query, p.Limit)
		if err != nil {
			return nil, err
		}
		r := &searchResult{Tools: make([]FoundTool, 0, len(found))}
		for _, t := range found {
			t.Description = text.Shorten(t.Description, maxDescription/MaxFound*8)
			r.Tools = append(r.Tools, t)
		}
		return r, nil
	}, nil
}

func (c *Conn) loadTools(m *message, box Toolbox) (func(context.Context) (any, error), error) {
	var p loadParams
	if err := decode(m.params, &p); err != nil {
		return nil, err
	}
	if len(p.Names) == 0 || len(p.Names) > MaxLoad {
		return nil, invalid("names", "needs from 1 to %d names", MaxLoad)
	}
	return func(ctx context.Context) (any, error) {
		tools, err := box.LoadTools(ctx, c.grant.owner, p.Names)
		if err != nil {
			return nil, err
		}
		if tools == nil {
			tools = []ToolDefinition{}
		}
		for i := range tools {
			tools[i].Description = text.Shorten(tools[i].Description, maxDescription)
		}
		return &loadResult{Tools: tools}, nil
	}, nil
}

// watchTools tells the agent of each change of its list until the connection ends. A peer that
// reads slowly is told of several changes at once.
func (c *Conn) watchTools(box Toolbox, changed <-chan struct{}) {
	for {
		select {
		case <-changed:
		case <-c.ctx.Done():
			return
		}
		changed = box.ToolsChanged()
		for c.link.crowded() {
			select {
			case <-time.After(changePause):
			case <-c.ctx.Done():
				return
			}
		}
		_ = c.link.notify(methodToolsChanged, nothing{}) // an error ends the connection
	}
}
