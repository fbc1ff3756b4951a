package call

import (
	"context"
	"slices"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// hostRules hold a host that a tool connects to against the rules of the policy. The error is a
// *hostDenied.
type hostRules func(ctx context.Context, to netguard.Target) error

// hostDenied is the error of a host that the rules deny.
type hostDenied struct{ reason string }

func (e *hostDenied) Error() string { return e.reason }

// hostRules returns the rules of a call's connections. What the call named was judged before it
// began; where a redirect, or its program, goes from there is known only now. A host that the
// rules deny is refused even if the tool requires it. What they would ask about was answered for
// the call.
func (p *Pipeline) hostRules(inv *Invocation) hostRules {
	q := inv.permission()
	named := q.Uses
	q.Key = "" // an answer is for a call, not for a connection
	return func(ctx context.Context, to netguard.Target) error {
		if slices.ContainsFunc(named, func(u policy.Use) bool { return names(u, to) }) {
			return nil
		}
		one := q
		one.Uses = []policy.Use{{Capability: policy.NetFetch, Value: to.String()}}
		if d := p.opts.Decider.Decide(ctx, one); d.Verdict == policy.Deny {
			return &hostDenied{reason(d)}
		}
		return nil
	}
}

// names reports whether a use is this host, as the call named it.
func names(u policy.Use, to netguard.Target) bool {
	if u.Capability != policy.NetFetch || u.Declared {
		return false
	}
	named, err := netguard.ParseTarget(u.Value)
	return err == nil && named.Host() == to.Host() && (named.Port == 0 || named.Port == to.Port)
}
