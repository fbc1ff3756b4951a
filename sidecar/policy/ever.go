package policy

import "context"

// Ever returns the mildest decision that any call of a tool can get: Deny means that no
// call of it can ever run, and Reason says why, as Decide would. r holds the tool, who calls,
// and what every call of it uses; Arguments are ignored. A verdict of Allow or Ask is a
// bound: a call with some arguments may be denied.
func (s *Set) Ever(ctx context.Context, r Request) Decision {
	if r.Tool == nil {
		return s.Decide(ctx, r)
	}
	r.Arguments, r.Key = "", ""
	c := newCall(r, s.opts.Roots)
	d := BuiltIn().Decide(ctx, c.Request)
	if s.manifest != nil {
		d = s.manifest.mildest(c)
	}
	if s.project != nil {
		if p := s.project.mildest(c); p.Verdict < d.Verdict && p.Line > 0 {
			d = p
		}
	}
	d.Revision = s.revision
	return d
}

// mildest returns the mildest decision of a scope. A rule that limits itself to some
// arguments or uses is taken to match if it is mild, and not to if it is strict.
func (s *scope) mildest(c *call) Decision {
	var plain []candidate
	for _, r := range s.rules {
		if r.speaksTo(c.Caller, c.Agent) && r.ofTools(c.Tool.Name) && !r.limited() {
			plain = append(plain, candidate{rule: r})
		}
	}
	d := s.decision(&judgement{silent: c.Tool.Name})
	best, ok := pick(plain)
	if ok {
		d = s.ruled(&ruling{verdict: best.Verdict, rule: best.rule})
	}
	for _, r := range s.rules {
		mild := r.Verdict > d.Verdict && r.speaksTo(c.Caller, c.Agent)
		switch {
		case mild && r.limited() && r.ofTools(c.Tool.Name) && (!ok || r.reach >= best.reach):
			d = s.ruled(&ruling{verdict: r.Verdict, rule: r})
		case mild && r.capability != "" && !ok:
			d = s.ruled(&ruling{verdict: r.Verdict, rule: r})
		}
	}
	return s.always(c, d)
}

// always makes a decision stricter by what rules of capabilities say of what every call of
// the tool uses.
func (s *scope) always(c *call, d Decision) Decision {
	v := hearing{scope: s, call: c}
	for _, r := range s.rules {
		if r.capability != "" && r.Pointer == "" && r.speaksTo(c.Caller, c.Agent) {
			v.capabilities = append(v.capabilities, r)
		}
	}
	v.implied()
	if best := v.strictest(); best != nil && best.verdict < d.Verdict && best.rule != nil {
		return s.ruled(best)
	}
	return d
}
