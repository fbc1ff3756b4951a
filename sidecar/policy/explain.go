package policy

import (
	"fmt"
	"strings"
)

// losers collects the rules that matched, for explanations.
type losers struct {
	seen []loser
}

type loser struct {
	scope  string
	ruling *ruling
}

func (l *losers) add(s *scope, j *judgement) {
	for i := range j.rulings {
		l.seen = append(l.seen, loser{scope: s.name, ruling: &j.rulings[i]})
	}
}

// of returns the rules that did not make a decision, each once for whatever it speaks
// of.
func (l *losers) of(d *Decision) []Match {
	var out []Match
	for _, s := range l.seen {
		for _, c := range s.ruling.candidates {
			if c.File == d.File && c.Line == d.Line && c.Scope == d.Scope && c.Name() == d.Rule {
				continue
			}
			out = append(out, Match{
				Verdict: c.Verdict, Scope: s.scope, Rule: c.Name(), File: c.File, Line: c.Line, On: s.ruling.on, Why: why(c, s.ruling, d),
			})
		}
	}
	return out
}

// why says why a rule did not decide.
func why(c candidate, r *ruling, d *Decision) string {
	for _, o := range r.candidates {
		if o.over(c) {
			return fmt.Sprintf("less specific than %s", o.place())
		}
	}
	switch {
	case strings.HasPrefix(d.Rule, ProtectedRule):
		return "a protected path is final"
	case c.rule != r.rule && r.rule.Verdict < c.Verdict:
		return fmt.Sprintf("less strict than %s, which is as specific", r.rule.place())
	case c.rule != r.rule:
		return fmt.Sprintf("says the same as %s", r.rule.place())
	case c.Verdict > d.Verdict:
		return "something else that the call does is judged more strictly"
	case d.Scope == ScopeSession:
		return "an answer of the session lifts an ask"
	case c.Verdict < d.Verdict:
		return "the trusted project lifts an ask"
	}
	return "another rule says the same"
}

// place names a rule by where it stands.
func (r *rule) place() string {
	if r.Line == 0 {
		return r.Name()
	}
	return fmt.Sprintf("%s (%s:%d)", r.Name(), r.File, r.Line)
}
