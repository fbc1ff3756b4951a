package call

import (
	"context"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/watchdog"
)

// Watchdog is the operator's own program that is asked about calls. Ask returns soon
// after its context has ended; it may be called from many goroutines.
type Watchdog interface {
	Ask(ctx context.Context, r watchdog.Request) watchdog.Answer
}

// watch asks the watchdog about a call that the rules do not refuse, and returns the
// decision that holds then: a watchdog only tightens. The end of ctx ends the wait; the
// decision is then deny.
func (p *Pipeline) watch(ctx context.Context, inv *Invocation, q policy.Request, rules policy.Decision) policy.Decision {
	inv.rules = rules
	if p.opts.Watchdog == nil || rules.Verdict == policy.Deny {
		return rules
	}
	answer := p.opts.Watchdog.Ask(ctx, watchdog.Request{
		Call: q, Decision: rules, CallID: inv.id, TaskID: inv.task.ID(),
		Manifest: inv.snapshot.Revision(), Requires: p.required(inv.snapshot),
	})
	inv.watched = &answer
	return answer.Tighten(rules)
}

// requirements are what all tools of a snapshot require together.
type requirements struct {
	of  *manifest.Snapshot
	all manifest.Requires
}

// required returns what all tools of a snapshot require together. It is found out once
// for each snapshot.
func (p *Pipeline) required(s *manifest.Snapshot) *manifest.Requires {
	r := p.requirements.Load()
	if r == nil || r.of != s {
		r = &requirements{of: s, all: capability.Union(nil, s.Tools())}
		p.requirements.Store(r)
	}
	return &r.all
}
