package call

import (
	"context"
	"slices"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/sidecar/egress"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// hostRules hold a host that a tool connects to against the rules of the policy.
type hostRules func(ctx context.Context, to netguard.Target) egress.Ruling

// hostRules returns the rules of a call's connections. What the call named was judged before it
// began; where a redirect, or its program, goes from there is known only now. A host that the
// rules deny is refused even if the tool requires it. Nobody can be asked about a connection: one
// that the rules would ask about is refused too, unless an approval of the call covers it.
func (p *Pipeline) hostRules(inv *Invocation) hostRules {
	c, rules := connecting{p.asking(inv)}, inv.rules
	return func(ctx context.Context, to netguard.Target) egress.Ruling {
		if slices.ContainsFunc(c.call.Uses, func(u policy.Use) bool { return names(u, to) }) {
			return ruling(rules, true)
		}
		d := inv.judge(ctx, c.about(to))
		return ruling(d, d.Verdict == policy.Allow || d.Verdict == policy.Ask && c.covered(ctx, p.opts.Decider, d, to))
	}
}

// ruling returns what a decision means for a connection.
func ruling(d policy.Decision, allowed bool) egress.Ruling {
	r := egress.Ruling{Allowed: allowed, Rule: d.Rule, File: d.File, Line: d.Line}
	switch {
	case allowed:
	case d.Verdict == policy.Ask:
		r.Reason = "it needs an approval, and nobody can be asked about a connection of a call that runs: " + reason(d)
	default:
		r.Reason = reason(d)
	}
	return r
}

// asking is a call that runs, for questions about what it uses meanwhile.
type asking struct {
	call     policy.Request
	rules    policy.Decision // that allowed the call, or asked about it
	approved bool            // by a person, now or earlier in the session
}

// asking returns what was decided of a call.
func (p *Pipeline) asking(inv *Invocation) asking {
	a := asking{call: inv.permission(), rules: inv.rules}
	a.call.Key = "" // an answer is for a call, not for what it uses meanwhile
	a.approved = inv.approved != nil || inv.rules.Kind == policy.KindApproval
	if inv.rules.Kind == policy.KindApproval { // an answer of the session lifted what is asked now
		a.rules = inv.judge(inv.task.Context(), a.call)
	}
	return a
}

// connecting is a call whose tool makes connections.
type connecting struct{ asking }

// about returns the call as if one host were all that it used.
func (c *connecting) about(to netguard.Target) policy.Request {
	q := c.call
	q.Running = true
	q.Uses = []policy.Use{{Capability: policy.NetFetch, Value: to.String()}}
	return q
}

// covered reports whether the call's approval covers a host about which the rules ask. It covers
// the hosts that it showed, under the rules of that time. A host that it did not show is covered
// if what asks is what asked about the call, and would ask about it without any host.
func (c *connecting) covered(ctx context.Context, rules policy.Decider, d policy.Decision, to netguard.Target) bool {
	if !c.approved {
		return false
	}
	asked := sameRule(d, c.rules)
	if (asked || d.Revision == c.rules.Revision) && slices.ContainsFunc(c.call.Uses, func(u policy.Use) bool { return stands(u, to) }) {
		return true
	}
	q := c.call
	q.Uses = nil
	return asked && sameRule(d, rules.Decide(ctx, q))
}

// sameRule reports whether one rule made two decisions.
func sameRule(a, b policy.Decision) bool {
	return a.Verdict == b.Verdict && a.Scope == b.Scope && a.Rule == b.Rule
}

// names reports whether a use is this host, as the call named it.
func names(u policy.Use, to netguard.Target) bool {
	if u.Capability != policy.NetFetch || u.Declared {
		return false
	}
	named, err := netguard.ParseTarget(u.Value)
	return err == nil && named.Host() == to.Host() && (named.Port == 0 || named.Port == to.Port)
}

// stands reports whether a use is a pattern that stands for this host.
func stands(u policy.Use, to netguard.Target) bool {
	if u.Capability != policy.NetFetch || !u.Declared {
		return false
	}
	hosts, err := netguard.ParseHosts([]string{u.Value})
	return err == nil && hosts.Check(to) == nil
}
