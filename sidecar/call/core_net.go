package call

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/sidecar/egress"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/web"
)

// netOf returns the network of a call of a tool of the sidecar's own: the hosts that it requires, each
// judged when it is connected to, also after a redirect. nil: the tool requires none.
func (p *Pipeline) netOf(inv *Invocation) (tool.Net, error) {
	patterns := inv.input.set.NetHosts
	if len(patterns) == 0 {
		return nil, nil
	}
	hosts, err := netguard.ParseHosts(patterns)
	if err != nil {
		return nil, err
	}
	dialer := egress.Dialer{Hosts: hosts, Judge: p.hostRules(inv), Log: p.logOf(inv), Resolve: p.opts.Resolve}
	return web.New(web.Options{
		UserAgent: cmp.Or(p.opts.UserAgent, "a2a-sidecar"),
		Dial: func(ctx context.Context, address string) (net.Conn, error) {
			conn, attempt, err := dialer.DialAddress(ctx, address)
			inv.egress.tell(attempt)
			if refused := (*egress.RefusedError)(nil); errors.As(err, &refused) && !refused.Judged {
				return conn, fmt.Errorf("%w; it may reach public hosts by their names, at ports 80 and 443, and those that --fetch-host names", err)
			}
			return conn, err
		},
	}), nil
}
