package policy

import (
	"context"
	"slices"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy/match"
)

// BuiltIn returns the rule that holds without a policy file. It allows a client's
// direct call of a tool in the image's manifest, because whoever built the image
// declared the tool, and whoever can reach the port was let in. For a call by the
// wrapped agent the verdict is Ask, because something that the agent read may have
// told it to make the call.
//
// The sidecar's own tools are on every machine alike, so nobody has declared them for this one: a
// direct call is allowed if it only reads, and is asked about if it writes, runs or fetches. The
// agent may read with them what is in the workspace, or in a directory that the client named for the
// task: it reads such files by itself anyway, and asks nobody.
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
	case r.Tool.Source() == manifest.SourceCore:
		return ofCore(d, &r)
	case r.Agent:
		d.Verdict = Ask
		d.Rule, d.Reason = "built-in: the agent's own calls", "the agent itself wants to call this tool"
	default:
		d.Verdict, d.Kind = Allow, KindPassthrough
		d.Rule, d.Reason = "built-in: direct calls", "a direct call of a declared tool"
	}
	return d
}

// ofCore decides a call of one of the sidecar's own tools.
func ofCore(d Decision, r *Request) Decision {
	reads := onlyReads(r)
	switch {
	case reads && !r.Agent:
		d.Verdict, d.Kind = Allow, KindPassthrough
		d.Rule, d.Reason = "built-in: direct calls that only read", "a direct call of a tool of the sidecar's that only reads"
	case reads && inside(r):
		d.Verdict, d.Kind = Allow, KindPassthrough
		d.Rule, d.Reason = "built-in: the agent reads", "the agent reads inside of the workspace"
	case reads:
		d.Verdict = Ask
		d.Rule, d.Reason = "built-in: the agent reads", "the agent wants to read outside of the workspace"
	case r.Agent:
		d.Verdict = Ask
		d.Rule, d.Reason = "built-in: the agent's own calls", "the agent itself wants to call this tool"
	default:
		d.Verdict = Ask
		d.Rule, d.Reason = "built-in: direct calls that write, run or fetch", "it writes, runs or fetches, and there is no policy that allows it"
	}
	return d
}

// onlyReads reports whether a call changes nothing, runs nothing and fetches nothing.
func onlyReads(r *Request) bool {
	switch r.Tool.Kind {
	case "edit", "delete", "move", "execute", "fetch":
		return false
	}
	return r.Tool.Effects == manifest.EffectsRead &&
		!slices.ContainsFunc(r.Uses, func(u Use) bool { return u.Capability != FSRead })
}

// inside reports whether all that a call reads is in the workspace, or in a directory that the client
// named for the task.
func inside(r *Request) bool {
	return !slices.ContainsFunc(r.Uses, func(u Use) bool {
		if u.Doubt != "" {
			return true
		}
		for _, variable := range [...]string{manifest.VariableWorkspace, manifest.VariableAdHoc} {
			p, err := match.ParsePath("{" + variable + "}/**")
			if err != nil {
				continue
			}
			covers := p.Covers
			if u.Declared {
				covers = p.CoversPattern
			}
			if _, ok := covers(u.Value, r.Roots); ok {
				return false
			}
		}
		return true
	})
}
