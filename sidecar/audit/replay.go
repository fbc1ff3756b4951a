package audit

import (
	"context"
	"fmt"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// Replay is what the records of an audit say of rules.
type Replay struct {
	// Same and Different count the calls about which the rules decide as they did, and
	// those about which they do not. Others counts the calls about which no rule decided:
	// their arguments were wrong, their tool was not there, or its requirements refused
	// them.
	Same, Different, Others int
	// Redacted counts the calls that cannot be decided again, because secrets were taken out of
	// what the rules looked at.
	Redacted int
	// OtherRevisions counts, among Same and Different, the calls that were judged by
	// other rules than these.
	OtherRevisions int
}

// Difference is a call about which rules decide otherwise than they did.
type Difference struct {
	Line     Line
	Recorded Decision
	Now      policy.Decision
}

// ReplayAll decides every recorded call again, and passes each difference to differs. An
// answer "always" of a person is not repeated: it lifted an ask, so an ask is the same.
// The error is of a line that cannot be read.
func ReplayAll(ctx context.Context, path string, d policy.Decider, revision string, differs func(Difference)) (Replay, error) {
	var sum Replay
	for l := range Lines(path) {
		switch {
		case l.Err != nil:
			return sum, fmt.Errorf("%s:%d: %w", l.File, l.Number, l.Err)
		case l.Record.Event != EventBefore && l.Record.Event != EventRefused:
			continue
		case l.Record.Decision == nil || l.Record.Decision.Scope == policy.ScopeCapability:
			sum.Others++
			continue
		}
		if l.Record.Redacted {
			sum.Redacted++
			continue
		}
		was := *l.Record.Decision
		if was.Revision != revision {
			sum.OtherRevisions++
		}
		now := d.Decide(ctx, l.Record.Request())
		if same(was, now) {
			sum.Same++
			continue
		}
		sum.Different++
		differs(Difference{Line: l, Recorded: was, Now: now})
	}
	return sum, nil
}

// same reports whether two decisions say the same for the same reason.
func same(was Decision, now policy.Decision) bool {
	if was.Scope == policy.ScopeSession {
		return now.Verdict == policy.Ask
	}
	return was.Verdict == now.Verdict.String() && was.Scope == now.Scope && was.Rule == now.Rule
}

// Request returns the call as the rules saw it, with everything of it on which they
// depend.
func (r *Record) Request() policy.Request {
	t := &manifest.Tool{Name: r.Tool, Effects: manifest.Effects(r.Effects), Digest: r.Definition}
	if r.Command != nil {
		t.Bridge = manifest.Bridge{Kind: manifest.BridgeExec, Exec: &manifest.Exec{Command: r.Command}}
	}
	q := policy.Request{
		Tool: t, Source: r.Source, Arguments: "{}", Caller: r.Caller, Agent: r.Agent, ContextID: r.Context, Roots: r.Roots, Dir: r.Dir,
	}
	if r.Arguments != nil && r.Arguments.Judged != "" {
		q.Arguments = r.Arguments.Judged
	}
	for _, u := range r.Uses {
		q.Uses = append(q.Uses, policy.Use(u))
	}
	return q
}
