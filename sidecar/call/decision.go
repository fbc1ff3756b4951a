package call

import "github.com/a2a-sidecar/sidecar/sidecar/policy"

// decision returns what became of the call when it was judged, and what kind of thing
// decided that. ok is false for a call that ended for another reason before it was
// executed.
func (i *Invocation) decision(o Outcome) (v policy.Verdict, k policy.Kind, ok bool) {
	switch {
	case !i.began.IsZero():
		v = policy.Allow
	case o.Case != Denied && o.Case != Rejected:
		return policy.Deny, "", false
	}
	switch {
	case i.approval != nil:
		return v, policy.KindApproval, true
	case i.watched != nil && i.watched.Verdict < i.rules.Verdict:
		return v, policy.KindWatchdog, true
	}
	return v, i.rules.Kind, true
}
