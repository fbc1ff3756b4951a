package call

import (
	"context"
	"fmt"

	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// permit decides whether a call may run: by what its tool requires, the rules, the
// watchdog, and a person if those say ask. A call that a person has allowed is decided
// again, as it is then: by the policy and the definition of that moment, with its paths
// resolved anew.
func (p *Pipeline) permit(ctx context.Context, inv *Invocation) *result {
	ctx, cancel := p.unstarted(ctx)
	defer cancel()
	for {
		if r := p.capable(inv); r != nil {
			return r
		}
		q := inv.permission()
		d := p.decide(ctx, inv, q)
		if d.Verdict != policy.Ask {
			return inv.decided(ctx, d)
		}
		allowed, r := p.approve(ctx, inv, d)
		if r == nil {
			r = p.validate(ctx, inv)
		}
		if r != nil {
			return r
		}
		if allowed == nil {
			continue // what was asked for has changed
		}
		if r, done := p.again(ctx, inv, allowed); done {
			return r
		}
	}
}

// again decides a call that somebody has allowed. done is false if it is no longer what was
// allowed: then it is judged, and asked for, from the beginning.
func (p *Pipeline) again(ctx context.Context, inv *Invocation, allowed *approval.Approval) (r *result, done bool) {
	if r := p.capable(inv); r != nil {
		return r, true
	}
	q := inv.permission()
	d := p.decide(ctx, inv, q)
	switch {
	case d.Verdict != policy.Ask:
		return inv.decided(ctx, d), true
	case p.subject(inv, q, d).Digest() != allowed.Digest():
		return nil, false
	}
	if inv.approved.Option == approval.Always && p.opts.Remember != nil {
		p.opts.Remember(q)
	}
	return nil, true
}

// decided returns nil for a call that may run, and otherwise how it ends.
func (i *Invocation) decided(ctx context.Context, d policy.Decision) *result {
	switch {
	case d.Verdict == policy.Allow:
		return nil
	case ctx.Err() != nil:
		return notStarted(context.Cause(ctx))
	}
	if i.own != nil {
		return ended(Denied, "this is not allowed: "+reason(d))
	}
	return ended(Denied, fmt.Sprintf("you may not call %q: %s", i.tool.Name, reason(d)))
}

func reason(d policy.Decision) string {
	if d.Reason == "" {
		return "no reason is given"
	}
	return d.Reason
}

// unstarted returns ctx for a call that has not begun to execute: a drain ends it at
// once.
func (p *Pipeline) unstarted(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(p.draining, func() { cancel(task.ErrDraining) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}
