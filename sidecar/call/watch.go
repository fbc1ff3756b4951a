package call

import (
	"context"

	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/watchdog"
)

// watch asks the watchdog about a call that the rules do not refuse, and returns the
// decision that holds then: a watchdog only tightens. A drain and a cancel end the wait;
// the decision is then deny.
func (p *Pipeline) watch(ctx context.Context, inv *Invocation, q policy.Request, rules policy.Decision) policy.Decision {
	inv.rules = rules
	if p.opts.Watchdog == nil || rules.Verdict == policy.Deny {
		return rules
	}
	ctx, cancel := p.unstarted(ctx)
	defer cancel()
	answer := p.opts.Watchdog.Ask(ctx, watchdog.Request{
		Call: q, Decision: rules, CallID: inv.id, TaskID: inv.task.ID(), Manifest: inv.snapshot.Revision(),
	})
	inv.watched = &answer
	return answer.Tighten(rules)
}
