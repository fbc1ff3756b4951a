package watchdog

import (
	"time"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// Request is one call as the watchdog sees it.
type Request struct {
	// Call is the call as the rules saw it: the tool, the validated arguments, what the
	// call uses, the caller and the context.
	Call policy.Request
	// Decision is what the rules said: allow or ask.
	Decision policy.Decision
	// CallID and TaskID name the call.
	CallID, TaskID string
	// Manifest is the revision of the manifest with which the call was admitted.
	Manifest string
	// Requires is what all tools of that manifest declare that they require, together.
	// nil: nothing is declared.
	Requires *manifest.Requires
}

// Failure says in a word why a watchdog did not answer. The zero value says that it did.
type Failure string

// The failures. Each of them denies the call.
const (
	FailedTimeout     Failure = "timeout"     // no answer within the time limit
	FailedCrash       Failure = "crash"       // the command was ended by a signal
	FailedExit        Failure = "exit"        // the command ended with an exit status other than 0
	FailedAnswer      Failure = "answer"      // what it said is no answer
	FailedLength      Failure = "length"      // what it said is too long
	FailedUnavailable Failure = "unavailable" // it cannot be started or reached
	FailedUnsafe      Failure = "unsafe"      // the agent's user can change it, or is it
	FailedStopped     Failure = "stopped"     // the call was canceled, or the sidecar ends
)

// Answer is what a watchdog said of a call. The zero value denies.
type Answer struct {
	Verdict policy.Verdict
	// Reason is for whoever made the call; it is one line without control characters.
	Reason string
	// Failure is set if the watchdog gave no answer. The verdict is then deny.
	Failure Failure
	// Took is how long the answer took.
	Took time.Duration
}

// Tighten returns the decision that holds after the rules and the watchdog have spoken:
// the stricter of the two. The rules' decision stays as it is unless the watchdog is
// stricter.
func (a Answer) Tighten(rules policy.Decision) policy.Decision {
	if a.Verdict >= rules.Verdict { // the strictest is the least
		return rules
	}
	return policy.Decision{
		Verdict: a.Verdict, Kind: policy.KindWatchdog, Scope: policy.ScopeWatchdog,
		Rule: "watchdog", Reason: a.Reason, Revision: rules.Revision,
	}
}
