package policy

import "context"

// Verdict is what a rule says of a call.
type Verdict uint8

// The verdicts, the strictest first. The zero value denies.
const (
	Deny  Verdict = iota // the call does not run
	Ask                  // somebody with the right to do so must approve this one call
	Allow                // the call runs
)

// String returns the word that files use: "deny", "ask" or "allow".
func (v Verdict) String() string {
	switch v {
	case Ask:
		return "ask"
	case Allow:
		return "allow"
	}
	return "deny"
}

// Kind says what made a decision.
type Kind string

// The kinds of decisions. A Decider of this package makes KindRule and
// KindPassthrough; the layers after it make the others.
const (
	KindRule        Kind = "rule"        // a rule of a file, a preset, or the default of a scope
	KindPassthrough Kind = "passthrough" // there is no policy file and nothing stands against the call
	KindWatchdog    Kind = "watchdog"    // the operator's own program answered
	KindApproval    Kind = "approval"    // a person answered
	KindDelegated   Kind = "delegated"   // the client that shows the call to its user decides
)

// The scopes from which a decision comes. The first six and ScopeTask are of this package; Decision.Scope of
// other layers names the layer.
const (
	ScopeBuiltIn    = "built-in"   // no policy file was given
	ScopePreset     = "preset"     // --policy preset:NAME
	ScopeManifest   = "manifest"   // --policy FILE
	ScopeProject    = "project"    // .sidecar/policy.json
	ScopeSession    = "session"    // answers of this session
	ScopeTask       = "task"       // rules that came with the task: see Denials
	ScopeCapability = "capability" // outside of what the tool declares that it requires
	ScopeWatchdog   = "watchdog"
)

// Decision is a verdict with the rule and the reason behind it.
type Decision struct {
	Verdict Verdict
	Kind    Kind
	// Scope is one of the Scope constants, "" for a decision that nothing made.
	Scope string
	// Rule names the rule that decided, for logs and for the person who wrote it. The
	// rule of a file is named by its action, its permission, its pointer and its pattern.
	Rule string
	// File and Line say where the rule stands; "" and 0 for a rule that is in no file.
	File string
	Line int
	// Reason says why, in words that the caller of the tool may read: it never quotes
	// arguments or anything secret.
	Reason string
	// Revision is a digest over all policy files together, "" if there is none. Two
	// decisions with the same revision were made by the same rules.
	Revision string
	// Lost are the rules that matched as well and did not decide. Decide leaves it nil,
	// because most callers never look; Explain fills it.
	Lost []Match
}

// Match is a rule that matched a call and did not decide it.
type Match struct {
	Verdict Verdict
	Scope   string
	Rule    string // as in Decision
	File    string
	Line    int
	// On is what the rule spoke of: the tool's name, or a capability and its value, as
	// in "fs.write /srv/data/a".
	On string
	// Why says in a few words why it lost, as in "less specific than line 7".
	Why string
}

// Decider judges calls. Decide may be called from many goroutines at once and must
// return soon; after its context has ended it denies.
type Decider interface {
	Decide(ctx context.Context, r Request) Decision
}
