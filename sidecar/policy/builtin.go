package policy

import "context"

// BuiltIn is the rule without a policy file: a client's direct call of a tool
// that is in the image's manifest is allowed, because whoever built the image
// declared it and whoever can reach the port was let in; a call by the wrapped
// agent is ask, because what the agent read may have told it to.
func BuiltIn() Decider { return builtIn{} }

type builtIn struct{}

var _ Decider = builtIn{}

func (builtIn) Decide(ctx context.Context, r Request) Decision {
	switch {
	case ctx.Err() != nil:
		return Decision{Verdict: Deny, Rule: "built-in", Reason: "the call was stopped"}
	case r.Tool == nil:
		return Decision{Verdict: Deny, Rule: "built-in", Reason: "there is no such tool"}
	case r.Agent:
		return Decision{Verdict: Ask, Rule: "built-in: the agent's own calls", Reason: "the agent itself wants to call this tool"}
	}
	return Decision{Verdict: Allow, Rule: "built-in: direct calls", Reason: "a direct call of a declared tool"}
}
