package policy

import (
	"context"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// Verdict is what a rule says of a call.
type Verdict uint8

// The verdicts. The zero value denies.
const (
	Deny  Verdict = iota // the call does not run
	Ask                  // somebody with the right to do so must approve this one call
	Allow                // the call runs
)

func (v Verdict) String() string {
	switch v {
	case Ask:
		return "ask"
	case Allow:
		return "allow"
	}
	return "deny"
}

// Decision is a verdict with the rule and the reason behind it.
type Decision struct {
	Verdict Verdict
	// Rule names the rule that decided, for logs and for the person who wrote it.
	Rule string
	// Reason says why, in words that the caller of the tool may read: it never quotes
	// arguments or anything secret.
	Reason string
}

// Request is one call as the rules see it.
type Request struct {
	Tool *manifest.Tool
	// Arguments are the call's arguments: one line of JSON, an object that satisfies
	// the tool's schema.
	Arguments string
	// Caller is the authenticated name, "" if anonymous.
	Caller string
	// Agent is set if the wrapped agent makes the call itself.
	Agent bool
}

// Decider judges calls. Decide may be called from many goroutines at once and must
// return soon; after its context has ended it denies.
type Decider interface {
	Decide(ctx context.Context, r Request) Decision
}
