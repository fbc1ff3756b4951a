package sidecar

import (
	"context"
	"fmt"

	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
)

// route passes the calls of some servers to one place, and those of all others on.
type route struct {
	has    func(server string) bool
	to     call.Servers
	others call.Servers // nil: none
}

var _ call.Servers = route{}

// Call implements call.Servers.
func (r route) Call(ctx context.Context, c client.Call) (*client.Result, error) {
	switch {
	case r.has(c.Server):
		return r.to.Call(ctx, c)
	case r.others != nil:
		return r.others.Call(ctx, c)
	}
	return nil, fmt.Errorf("%w: there is no MCP server %q", client.ErrUnavailable, c.Server)
}
