package policy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/policy/match"
)

// scope holds the rules of one scope.
type scope struct {
	name  string
	files []string
	rules []*rule
}

// candidate is a rule that matches.
type candidate struct {
	*rule
	rank match.Rank
}

// over reports whether a is more specific than b: by its permission, then by its pattern,
// then because it names callers. Patterns of different arguments cannot be compared.
func (a candidate) over(b candidate) bool {
	if a.reach != b.reach {
		return a.reach > b.reach
	}
	limited, other := a.limited(), b.limited()
	switch {
	case limited != other:
		return limited
	case limited && a.capability == "" && (a.Pointer != b.Pointer || a.ofUses() != b.ofUses()):
		return false
	case limited && !a.rank.Same(b.rank):
		return a.rank.Over(b.rank)
	case (a.Pointer != "") != (b.Pointer != ""):
		return a.Pointer != ""
	}
	return a.Callers != nil && b.Callers == nil
}

// limited reports whether a rule speaks of some values only.
func (r *rule) limited() bool { return r.Pattern != "" || r.Pointer != "" && r.capability == "" }

// ruling is what a scope says of one dimension of a call.
type ruling struct {
	verdict    Verdict
	rule       *rule // nil for a default or a doubt
	on         string
	doubt      string
	declared   bool        // it speaks of what the tool declares, not of a value of the call
	candidates []candidate // kept for explanations only
}

// judgement is what a scope says of a call.
type judgement struct {
	rulings []ruling
	// silent names the first dimension of which no rule speaks, "" if rules speak of all.
	silent string
}

// strictest returns the ruling that decides, nil if there is none.
func (j *judgement) strictest() *ruling {
	var best *ruling
	for i := range j.rulings {
		if r := &j.rulings[i]; best == nil || r.verdict < best.verdict {
			best = r
		}
	}
	return best
}

// judge holds a call against the scope's rules.
func (s *scope) judge(c *call, explain bool) judgement {
	v := hearing{scope: s, call: c, explain: explain}
	for _, r := range s.rules {
		switch {
		case !r.speaksTo(c.Caller, c.Agent):
		case r.capability != "":
			v.capabilities = append(v.capabilities, r)
		case !r.ofTools(c.Tool.Name):
		case r.ofUses():
			v.uses = append(v.uses, r)
		case r.Pointer == "" || r.argument(&c.args):
			v.tools = append(v.tools, candidate{rule: r})
		}
	}
	for i := range v.tools {
		if r := v.tools[i].rule; r.Pattern != "" {
			v.tools[i].rank = r.text.Rank()
		}
	}
	v.explicit()
	v.implied()
	v.running()
	return v.judgement
}

// hearing is one judgement while it is made.
type hearing struct {
	judgement
	*scope
	call         *call
	explain      bool
	tools        []candidate // rules of the tool that match the whole call
	uses         []*rule     // rules of the tool that speak of what it uses
	capabilities []*rule
	ofTool       bool // a rule of the tool speaks of every argument, or of the call
}

// explicit judges what the arguments ask for. Without any such thing, the tool itself
// is judged.
func (v *hearing) explicit() {
	asked := false
	v.ofTool = true
	for i := range v.call.atoms {
		a := &v.call.atoms[i]
		if a.implied {
			continue
		}
		tool := v.atom(a, v.tools)
		if !a.aside {
			asked, v.ofTool = true, v.ofTool && tool
		}
	}
	if asked {
		return
	}
	if best, ok := pick(v.tools); ok && v.call.Running && best.Verdict == Ask {
		return // the uses are heard first, and running after them
	}
	v.ofTool = v.rule(v.call.Tool.Name, v.tools, "")
	if !v.ofTool && len(v.call.atoms) == 0 {
		v.unspoken(v.call.Tool.Name)
	}
}

// running lets the tool's rules speak of a call that runs if no rule speaks of what it uses.
func (v *hearing) running() {
	if v.call.Running && len(v.rulings) == 0 && v.ofTool {
		v.rule(v.call.Tool.Name, v.tools, "")
	}
}

// implied judges what every call of the tool uses.
func (v *hearing) implied() {
	for i := range v.call.atoms {
		if a := &v.call.atoms[i]; a.implied {
			v.atom(a, nil)
		}
	}
}

// atom judges one thing that the call uses, and reports whether a rule of the tool speaks of
// it. plain are the rules of the tool that speak of the whole call.
func (v *hearing) atom(a *atom, plain []candidate) (tool bool) {
	toolRules := append(slices.Clip(plain), v.matching(v.uses, a)...)
	own := v.matching(v.capabilities, a)
	if a.aside {
		v.heard(a, toolRules)
		v.heard(a, own)
		return false
	}
	doubt := a.doubt
	if a.own && v.ofTool {
		doubt = "" // whoever allows the tool allows what its author wrote
	}
	specific := slices.ContainsFunc(toolRules, func(c candidate) bool { return c.ofUses() })
	if a.outside && len(own) == 0 && !specific {
		doubt = cmp.Or(doubt, "a redirection out of the directories of the call")
	}
	before := len(v.rulings)
	toolRules, own = v.partly(a, toolRules), v.partly(a, own)
	tool = v.rule(a.on(), toolRules, doubt)
	spoken := v.rule(a.on(), own, doubt)
	for i := range v.rulings[before:] {
		v.rulings[before+i].declared = a.declared
	}
	switch {
	case tool || spoken:
	case !a.implied || !v.ofTool:
		v.unspoken(a.on())
	case doubt != "":
		v.rulings = append(v.rulings, ruling{verdict: Ask, on: a.on(), doubt: doubt})
	}
	return tool
}

// heard takes what rules that deny or ask say of something of which no rule has to speak.
func (v *hearing) heard(a *atom, candidates []candidate) {
	if best, ok := pick(candidates); ok && best.Verdict != Allow && best.limited() {
		v.rule(a.on(), candidates, "")
	}
}

func (v *hearing) unspoken(on string) {
	if v.silent == "" {
		v.silent = on
	}
}

// matching returns those of some rules that match an atom.
func (v *hearing) matching(rules []*rule, a *atom) []candidate {
	var out []candidate
	for _, r := range rules {
		if rank, ok := r.matches(a, v.call.Roots); ok {
			out = append(out, candidate{rule: r, rank: rank})
		}
	}
	return out
}

// rule adds what the candidates of one dimension say, and reports whether there is
// any. What is doubted is asked about at best.
func (v *hearing) rule(on string, candidates []candidate, doubt string) bool {
	best, ok := pick(candidates)
	if !ok {
		return false
	}
	r := ruling{verdict: best.Verdict, rule: best.rule, on: on}
	if v.explain {
		r.candidates = candidates
	}
	v.rulings = append(v.rulings, r)
	if doubt != "" && best.Verdict == Allow {
		v.rulings = append(v.rulings, ruling{verdict: Ask, on: on, doubt: doubt})
	}
	return true
}

// pick returns the strictest of those candidates over which no other is. It does not
// depend on their order.
func pick(candidates []candidate) (best candidate, ok bool) {
	for _, c := range candidates {
		if slices.ContainsFunc(candidates, func(o candidate) bool { return o.over(c) }) {
			continue
		}
		if !ok || c.Verdict < best.Verdict || c.Verdict == best.Verdict && before(c.rule, best.rule) {
			best, ok = c, true
		}
	}
	return best, ok
}

// before orders rules that say the same.
func before(a, b *rule) bool {
	return cmp.Or(strings.Compare(a.Name(), b.Name()), cmp.Compare(a.Line, b.Line)) < 0
}
