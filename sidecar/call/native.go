package call

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// Judge returns what decides, in the name of one turn, what the agent may do by its own tools, and
// does what the agent has us do. The turn may be one that works for a call: then the client of that
// call is asked.
func (p *Pipeline) Judge(t *task.Task) driver.Judge {
	return &native{p: p, task: t, programs: map[*program]struct{}{}}
}

// native is the judge of one turn.
type native struct {
	p    *Pipeline
	task *task.Task

	mu       sync.Mutex
	allowed  grants
	programs map[*program]struct{} // those that were not released
	closed   bool
}

var _ driver.Judge = (*native)(nil)

// Permit implements driver.Judge. An agent's own tool is judged as a call is, by the same rules, watchdog,
// people and audit. It makes no task and has no place in the schedule: it runs in the agent.
func (n *native) Permit(ctx context.Context, a peer.Action) (peer.Answer, error) {
	inv, err := n.invocation(a)
	if err != nil {
		return peer.Answer{Reason: err.Error()}, nil
	}
	r, err := n.judge(ctx, inv)
	if err != nil {
		return peer.Answer{}, err
	}
	if r != nil {
		return peer.Answer{Reason: r.text}, nil
	}
	n.p.recordEnd(inv, ended(permitted, ""), 0)
	n.grant(inv)
	return peer.Answer{Allowed: true, Always: inv.always()}, nil
}

// permitted is the outcome of an agent's own tool in the audit: the agent was told yes, and how its tool
// ended is not ours to know.
const permitted Case = "permitted"

// always reports whether a person has allowed the same until the session ends. With a watchdog, each
// use is judged anew, and no answer of a person's holds for the next.
func (i *Invocation) always() bool {
	if i.p.opts.Watchdog != nil {
		return false
	}
	return i.approved != nil && i.approved.Option == approval.Always || i.rules.Scope == policy.ScopeSession && i.rules.Rule == policy.AlwaysRule
}

// judge takes the use of an agent's own tool through the stages that decide. nil: it may be. The
// error says why nobody could decide.
func (n *native) judge(ctx context.Context, inv *Invocation) (r *result, err error) {
	p := n.p
	defer func() {
		if v := recover(); v != nil {
			p.logPanic(inv, v)
			r, err = nil, errors.New(crashText)
		}
	}()
	for _, s := range [...]stage{p.validate, n.within, p.afford, p.permit, p.charge, p.record} {
		if r = s(ctx, inv); r != nil {
			break
		}
	}
	if r == nil {
		inv.began = time.Now()
	} else {
		r = n.drained(r)
		r.text = p.clean(inv, r.text)
		p.recordEnd(inv, r, inv.duration(time.Now()))
	}
	n.tell(ctx, inv, r)
	return r, n.undecided(ctx, r)
}

// drained ends the turn if nobody can be asked any more since the sidecar shuts down: nobody has said no, and a turn
// that was told so would end as if all had gone well.
func (n *native) drained(r *result) *result {
	if r.outcome.Case != Busy || n.p.draining.Err() == nil {
		return r
	}
	n.task.Cancel(task.ErrDraining)
	return ended(Canceled, r.text)
}

// undecided returns why nobody could decide, nil if somebody did.
func (n *native) undecided(ctx context.Context, r *result) error {
	switch cause := context.Cause(n.task.Context()); {
	case r == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case cause != nil:
		return fmt.Errorf("%w: %w", peer.ErrWithdrawn, cause)
	case r.outcome.Case == Canceled || r.outcome.Case == TimedOut:
		return fmt.Errorf("%w: %s", peer.ErrWithdrawn, r.text)
	case r.outcome.Case == Failed:
		return errors.New(r.text)
	}
	return nil
}

// tell logs one decision and counts it. What the agent said is not in the log.
func (n *native) tell(ctx context.Context, inv *Invocation, r *result) {
	outcome := Outcome{Case: permitted}
	if r != nil {
		outcome = r.outcome
	}
	verdict, kind, ok := inv.decision(outcome)
	if ok {
		n.p.opts.Observer.CallDecided(verdict.String(), string(kind))
	}
	line := []any{"task", n.task.ID(), "context", n.task.ContextID(), "tool", inv.tool.Name, "call", inv.id, "outcome", outcome.String(), "rule", n.p.clean(inv, inv.rules.Rule)}
	if inv.request.Caller != "" {
		line = append(line, "caller", inv.request.Caller)
	}
	level := n.p.opts.Log.Debug
	if r != nil {
		level = n.p.opts.Log.Info
	}
	level("agent's own tool was judged", line...)
}

// Close implements driver.Judge. It ends the programs that are left, and waits for them.
func (n *native) Close() {
	n.mu.Lock()
	n.closed = true
	left := make([]*program, 0, len(n.programs))
	for p := range n.programs {
		left = append(left, p)
	}
	n.mu.Unlock()
	var stops sync.WaitGroup
	for _, p := range left {
		stops.Go(p.Release)
	}
	stops.Wait()
}
