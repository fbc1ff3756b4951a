package call

import (
	"context"
	"errors"
	"fmt"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// The answers to an approval.
const (
	answerAllow = "allow"
	answerDeny  = "deny"
)

// permit asks the rules, and a person if the rules say ask.
func (p *Pipeline) permit(ctx context.Context, inv *Invocation) *result {
	q := policy.Request{
		Tool: inv.tool, Arguments: inv.args, Caller: inv.request.Caller, Agent: inv.request.Agent,
	}
	d := p.watch(ctx, inv, q, p.opts.Decider.Decide(ctx, q))
	switch d.Verdict {
	case policy.Allow:
		return nil
	case policy.Ask:
		return p.approve(ctx, inv, d)
	}
	if ctx.Err() != nil {
		return stopped(context.Cause(ctx))
	}
	return ended(Denied, fmt.Sprintf("you may not call %q: %s", inv.tool.Name, reason(d)))
}

// approve waits in auth-required until somebody allows this one call. The call keeps
// a place meanwhile, so that an approved call is never told busy.
func (p *Pipeline) approve(ctx context.Context, inv *Invocation, d policy.Decision) *result {
	if p.opts.Headless {
		return ended(Denied, fmt.Sprintf("%q needs an approval and nobody can be asked: %s", inv.tool.Name, reason(d)))
	}
	release, err := p.sched.place()
	if err != nil {
		return ended(Busy, err.Error())
	}
	inv.release = release
	ctx, cancel := p.unstarted(ctx)
	defer cancel()
	inv.report(statusPending)
	inv.waits()
	answer, err := inv.task.Ask(ctx, task.Question{
		Text:    fmt.Sprintf("May %q be called? %s.", inv.tool.Name, reason(d)),
		Options: []task.Option{{ID: answerAllow, Label: "Allow this call"}, {ID: answerDeny, Label: "Deny"}},
		State:   a2a.StateAuthRequired,
		Timeout: p.opts.AskTimeout,
	})
	switch {
	case ctx.Err() != nil:
		return notStarted(context.Cause(ctx))
	case errors.Is(err, task.ErrTimeout):
		return ended(Denied, fmt.Sprintf("%q needs an approval and nobody answered within %s", inv.tool.Name, p.opts.AskTimeout))
	case err != nil:
		return ended(Denied, fmt.Sprintf("%q needs an approval and nobody could be asked: %s", inv.tool.Name, err))
	case answer.OptionID != answerAllow:
		return ended(Rejected, fmt.Sprintf("the call of %q was not approved", inv.tool.Name))
	}
	return nil
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
