package call

import (
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// permission returns the call as the rules, the watchdog and approvers see it.
func (i *Invocation) permission() policy.Request {
	q := i.input.view(i.tool, i.args, &i.request, i.task.ContextID())
	if i.own != nil {
		return i.ownPermission(q)
	}
	return q
}

// view returns a call as the rules see it; line is its arguments as they were written.
func (in *input) view(t *manifest.Tool, line string, r *Request, contextID string) policy.Request {
	q := policy.Request{
		Tool: t, Source: t.Source(), Arguments: line, Uses: in.uses, Caller: r.Caller, Agent: r.Agent, ContextID: contextID,
	}
	if in.scope != nil { // nil: the arguments were refused
		q.Roots = in.scope.Roots()
		if len(t.Uses.ShellRun) > 0 {
			q.Dir, q.Leads = in.dir, in.scope.Leads // where redirections lead
		}
	}
	q.Key = subject(&q, t.Digest).Key()
	return q
}
