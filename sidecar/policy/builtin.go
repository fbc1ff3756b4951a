package policy

import "context"

// BuiltIn returns the rule that holds without a policy file. It allows a client's
// direct call of a tool in the image's manifest, because whoever built the image
// declared the tool, and whoever can reach the port was let in. For a call by the
// wrapped agent the verdict is Ask, because something that the agent read may have
// told it to make the call.
func BuiltIn() Decider { return builtIn{} }

type builtIn struct{}

var _ Decider = builtIn{}

func (builtIn) Decide(ctx context.Context, r Request) Decision {
	d := Decision{Kind: KindRule, Scope: ScopeBuiltIn, Rule: "built-in"}
	switch {
	case ctx.Err() != nil:
		d.Reason = "the call was stopped"
	case r.Tool == nil:
		d.Reason = "there is no such tool"
	case r.Agent:
		d.Verdict = Ask
		d.Rule, d.Reason = "built-in: the agent's own calls", "the agent itself wants to call this tool"
	default:
		d.Verdict, d.Kind = Allow, KindPassthrough
		d.Rule, d.Reason = "built-in: direct calls", "a direct call of a declared tool"
	}
	return d
}
