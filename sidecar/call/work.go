package call

import (
	"context"

	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// joinWork makes the call a part of the work that its caller does. A call of nobody's work is a work of its own.
func (i *Invocation) joinWork() {
	works := i.p.opts.Works
	switch {
	case i.request.Within != nil:
		i.partOf = works.Join(i.task, i.request.Within)
		return
	case i.request.Begin != nil:
		i.request.Begin(i.task)
	}
	i.partOf = works.Of(i.task)
}

// judge asks the rules about a call: those of the sidecar, and those that came with the work that it is a part of, which
// only make it stricter.
func (i *Invocation) judge(ctx context.Context, q policy.Request) policy.Decision {
	return i.partOf.Denials().Tighten(ctx, q, i.p.opts.Decider.Decide(ctx, q))
}

// heldRules are the rules that hold for one call, as judge asks them.
type heldRules Invocation

var _ policy.Decider = (*heldRules)(nil)

// Decide implements policy.Decider.
func (h *heldRules) Decide(ctx context.Context, q policy.Request) policy.Decision {
	return (*Invocation)(h).judge(ctx, q)
}

// afford ends a call that the budget of its work does not allow, before anybody is asked about it.
func (p *Pipeline) afford(_ context.Context, inv *Invocation) *result {
	if err := inv.partOf.Spent(); err != nil {
		return ended(Denied, inv.refusal()+err.Error())
	}
	return nil
}

// charge counts the call.
func (p *Pipeline) charge(_ context.Context, inv *Invocation) *result {
	if err := inv.partOf.Take(); err != nil {
		return ended(Denied, inv.refusal()+err.Error())
	}
	return nil
}

// refusal returns how the words begin with which a call is refused.
func (i *Invocation) refusal() string {
	if i.own != nil {
		return "this is not allowed: "
	}
	return "you may not call \"" + i.tool.Name + "\": "
}
