package channel

import (
	"context"
	"encoding/json"
	"errors"
)

// listAttempts is how often a list that changes while it is read is read again.
const listAttempts = 5

// ListTools returns the tools that this agent sees. From then on ToolsChanged is told of changes.
// The error is ErrMethod if the sidecar shows no tools over the channel.
func (c *Client) ListTools(ctx context.Context) (l ToolList, err error) {
	for range listAttempts {
		l, err = c.listOnce(ctx)
		if !errors.Is(err, ErrInvalidParams) { // it is what a cursor of a list that has changed gets
			break
		}
	}
	return l, err
}

func (c *Client) listOnce(ctx context.Context) (l ToolList, err error) {
	for cursor := ""; ; {
		raw, err := c.request(ctx, methodListTools, listParams{cursor})
		if err != nil {
			return l, err
		}
		var r struct {
			listResult
			Tools []ToolDefinition `json:"tools"`
		}
		if err := decode(raw, &r); err != nil {
			return l, err
		}
		l.Tools, l.Revision, l.Discoverable, l.Searches = append(l.Tools, r.Tools...), r.Revision, r.Discoverable, r.Searches
		if cursor == "" {
			l.Instructions = r.Instructions
		}
		if cursor = r.NextCursor; cursor == "" {
			return l, nil
		}
	}
}

// SearchTools returns at most limit of the tools that ListTools does not return, the best first.
func (c *Client) SearchTools(ctx context.Context, query string, limit int) ([]FoundTool, error) {
	raw, err := c.request(ctx, methodSearchTools, searchParams{query, limit})
	if err != nil {
		return nil, err
	}
	var r searchResult
	err = decode(raw, &r)
	return r.Tools, err
}

// LoadTools returns the tools with these names, in this order, without those that the agent cannot
// see.
func (c *Client) LoadTools(ctx context.Context, names []string) ([]ToolDefinition, error) {
	raw, err := c.request(ctx, methodLoadTools, loadParams{names})
	if errors.Is(err, ErrFrame) && len(names) > 1 { // together they are too long
		half := len(names) / 2
		first, err := c.LoadTools(ctx, names[:half])
		if err != nil {
			return nil, err
		}
		rest, err := c.LoadTools(ctx, names[half:])
		return append(first, rest...), err
	}
	if err != nil {
		return nil, err
	}
	var r loadResult
	err = json.Unmarshal(raw, &r)
	return r.Tools, err
}

// Listed says that whoever this client works for has got the list: what is said to it from now on finds it with these tools.
func (c *Client) Listed() error { return c.link.notify(methodListed, nothing{}) }

// ToolsChanged returns a channel that is closed when the list may next have changed, after
// ListTools was called. It is not closed by the end of the connection.
func (c *Client) ToolsChanged() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// toolsChanged wakes those who wait for a change.
func (c *Client) toolsChanged() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.changed)
	c.changed = make(chan struct{})
}
