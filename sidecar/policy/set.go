package policy

import (
	"context"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// Set holds the checked rules of all scopes. It is immutable, and many goroutines may use
// it at once. Load makes one.
type Set struct {
	manifest *scope // nil: there is no policy file, and BuiltIn decides
	project  *scope // nil: there is none
	opts     Options
	revision string
	protect  *protected

	requires  *manifest.Requires
	redact    Redact
	approvers []string
}

var _ Decider = (*Set)(nil)

// Decide judges a call. A call that writes a protected path is denied, whatever rules say. The manifest's rules decide; the project's make it stricter, or
// lift an ask if they are trusted; an answer of the session lifts an ask.
func (s *Set) Decide(ctx context.Context, r Request) Decision { return s.decide(ctx, r, false) }

// Explain is Decide with the rules that lost.
func (s *Set) Explain(ctx context.Context, r Request) Decision { return s.decide(ctx, r, true) }

// Revision returns "sha256:" and a digest over all files.
func (s *Set) Revision() string { return s.revision }

// Requires returns what the policy file itself grants, nil if it says nothing.
func (s *Set) Requires() *manifest.Requires { return s.requires }

// Redact returns what the policy files want hidden in results. It must not be changed.
func (s *Set) Redact() Redact { return s.redact }

// Approvers returns the callers who may answer approvals; nil means the task's caller.
func (s *Set) Approvers() []string { return s.approvers }

// Rules returns the rules of all scopes as they were written.
func (s *Set) Rules() []Rule {
	var out []Rule
	for _, sc := range []*scope{s.manifest, s.project} {
		if sc == nil {
			continue
		}
		for _, r := range sc.rules {
			out = append(out, r.Rule)
		}
	}
	return out
}

func (s *Set) decide(ctx context.Context, r Request, explain bool) Decision {
	d := Decision{Kind: KindRule, Scope: ScopeBuiltIn, Rule: "built-in"}
	switch {
	case ctx.Err() != nil:
		d.Reason = "the call was stopped"
	case r.Tool == nil:
		d.Reason = "there is no such tool"
	default:
		d = s.judge(ctx, newCall(r, s.opts.Roots), explain)
	}
	d.Revision = s.revision
	return d
}

// judge asks the scopes, each in its turn.
func (s *Set) judge(ctx context.Context, c *call, explain bool) Decision {
	var lost losers
	guarded, final := s.protect.denies(c)
	if final && !explain {
		return guarded
	}
	d := BuiltIn().Decide(ctx, c.Request)
	if s.manifest != nil {
		j := s.manifest.judge(c, explain)
		d = s.manifest.decision(&j)
		lost.add(s.manifest, &j)
	}
	if s.project != nil {
		j := s.project.judge(c, explain)
		d = s.tightened(d, &j)
		lost.add(s.project, &j)
	}
	if d.Verdict == Ask && s.opts.Session.holds(c.ContextID, c.Key) {
		d = Decision{
			Verdict: Allow, Kind: KindApproval, Scope: ScopeSession, Rule: AlwaysRule,
			Reason: "a person approved this call for the session",
		}
	}
	if final {
		d = guarded
	}
	if explain {
		d.Lost = lost.of(&d)
	}
	return d
}

// decision returns what the rules of a scope say if nothing else does.
func (s *scope) decision(j *judgement) Decision {
	d := Decision{Verdict: Ask, Kind: KindRule, Scope: s.name, Rule: "default: ask", Reason: "no rule of the policy speaks of this call"}
	if len(s.files) == 1 {
		d.File = s.files[0]
	}
	if best := j.strictest(); best != nil && (j.silent == "" || best.verdict < Ask || best.verdict == Ask && best.rule != nil) {
		return s.ruled(best)
	}
	return d
}

// ruled returns the decision of a ruling.
func (s *scope) ruled(r *ruling) Decision {
	d := Decision{Verdict: r.verdict, Kind: KindRule, Scope: s.name}
	if r.rule == nil || r.doubt != "" {
		if r.rule != nil {
			d.File, d.Line = r.rule.File, r.rule.Line
		}
		d.Rule, d.Reason = "built-in: what is not certain is asked about", "it holds "+r.doubt+", so what it does is not certain"
		return d
	}
	d.Rule, d.File, d.Line, d.Reason = r.rule.Name(), r.rule.File, r.rule.Line, r.rule.Reason
	if d.Reason == "" {
		d.Reason = r.rule.reason()
		if r.declared && r.verdict != Allow {
			d.Reason += ", which is a part of what the tool requires: let it require less, or name in its uses which argument says what"
		}
	}
	return d
}

// reason returns the words for a rule that has none of its own.
func (r *rule) reason() string {
	what := "this tool"
	if r.capability != "" {
		what = string(r.capability)
	}
	if r.Pattern != "" || r.Pointer != "" {
		what += " with this value"
	}
	switch r.Verdict {
	case Allow:
		return "a rule of the policy allows " + what
	case Ask:
		return "a rule of the policy wants " + what + " approved"
	}
	return "a rule of the policy forbids " + what
}

// tightened returns a decision after the project's rules were heard. They can make it
// stricter. If they are trusted, they can lift an ask, if they allow everything that the
// call does; they never lift a deny.
func (s *Set) tightened(d Decision, j *judgement) Decision {
	best := j.strictest()
	switch {
	case best == nil:
		return d
	case best.verdict < d.Verdict:
		return s.project.ruled(best)
	case s.opts.TrustProject && d.Verdict == Ask && best.verdict == Allow && j.silent == "":
		return s.project.ruled(best)
	}
	return d
}
