package audit

import "github.com/a2a-sidecar/sidecar/sidecar/policy"

// UsesOf returns what a call uses as it is recorded.
func UsesOf(uses []policy.Use) []Use {
	all := make([]Use, len(uses))
	for i, u := range uses {
		all[i] = Use(u)
	}
	return all
}

// DecisionOf returns a decision as it is recorded, nil for one that nothing made.
func DecisionOf(d policy.Decision) *Decision {
	if d.Kind == "" && d.Rule == "" {
		return nil
	}
	return &Decision{
		Verdict: d.Verdict.String(), Kind: d.Kind, Scope: d.Scope, Rule: d.Rule, File: d.File, Line: d.Line, Reason: d.Reason, Revision: d.Revision,
	}
}
