package call

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// doorCore is the door of calls that a tool of the sidecar's own makes.
const doorCore = "core"

// calls are the calls that a tool of the sidecar's own makes while it runs.
type calls struct{ inv *Invocation }

var _ tool.Calls = calls{}

// Call implements tool.Calls.
func (c calls) Call(ctx context.Context, n tool.Nested) (json.RawMessage, error) {
	of := &c.inv.request
	inner := c.inv.p.Admit(Request{
		Tool: n.Tool, Arguments: n.Args, Caller: of.Caller, Agent: of.Agent, Within: c.inv.task, ContextID: c.inv.task.ContextID(),
		Door: doorCore, TraceParent: of.TraceParent,
	})
	if inner.limit = n.Timeout; n.Covered {
		inner.covered = c.answered(ctx)
	}
	inner.Start()
	stop := context.AfterFunc(ctx, func() { inner.task.Cancel(context.Cause(ctx)) })
	<-inner.Done()
	stop()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var e struct {
		Data  json.RawMessage `json:"data"`
		Error string          `json:"error_text"`
	}
	if err := json.Unmarshal(inner.Envelope(), &e); err != nil {
		return nil, err
	}
	switch o := inner.Outcome(); o.Case {
	case Final, Redacted, Synthetic:
		return e.Data, nil
	case Truncated:
		return nil, errors.New("its answer is longer than its limit: let it answer less, or raise its maxOutput")
	case Artifact:
		return nil, errors.New("its answer is no text")
	default:
		return nil, errors.New(orText(e.Error, o.String()))
	}
}

// answered returns the decision that asked about a call which a person then allowed, now or earlier in the
// session; nil if nobody was asked.
func (c calls) answered(ctx context.Context) *policy.Decision {
	switch i := c.inv; {
	case i.rules.Kind == policy.KindApproval: // an answer of the session lifted what is asked now
		q := i.permission()
		q.Key = ""
		d := i.p.opts.Decider.Decide(ctx, q)
		return &d
	case i.approved != nil && i.rules.Verdict == policy.Ask:
		return &i.rules
	}
	return nil
}

// lifted returns what the rules decide about a call that is what another one is for (tool.Nested.Covered):
// the rule that asked about that one, and got its yes, does not ask again. All else that asks does, and a deny
// holds.
func (i *Invocation) lifted(d policy.Decision) policy.Decision {
	if i.covered == nil || d.Verdict != policy.Ask || !sameRule(d, *i.covered) || d.Revision != i.covered.Revision {
		return d
	}
	d.Verdict, d.Kind = policy.Allow, policy.KindApproval
	return d
}
