package call

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
)

// Servers calls the tools of MCP servers.
type Servers interface {
	// Call returns when the tool has answered, or soon after ctx has ended.
	Call(ctx context.Context, c client.Call) (*client.Result, error)
}

// runMCP calls the tool of an MCP server.
func (p *Pipeline) runMCP(ctx context.Context, inv *Invocation) *execution {
	if p.opts.Servers == nil {
		return unavailable(inv, "there are no MCP servers here")
	}
	b := inv.tool.Bridge.MCP
	c := client.Call{Server: b.Server, Tool: b.Tool, Arguments: json.RawMessage(inv.input.final), TraceParent: inv.request.TraceParent}
	if x := inv.tool.External; x != nil {
		c.Hash = x.Hash
	}
	r, err := p.opts.Servers.Call(ctx, c)
	e := &execution{out: p.listen(inv)}
	switch {
	case err != nil && ctx.Err() != nil:
		e.stopped = context.Cause(ctx)
	case errors.Is(err, client.ErrUnavailable), errors.Is(err, client.ErrChanged):
		return unavailable(inv, err.Error())
	case err != nil:
		e.failure = failed(err.Error())
	default:
		e.structured = r.Structured
	}
	return e
}
