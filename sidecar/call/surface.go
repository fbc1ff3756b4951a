package call

import (
	"context"
	"fmt"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// Why a tool cannot be called, whatever the call is.
const (
	AbsentPolicy     = "policy"     // the rules deny it, or ask where nobody can be asked
	AbsentSetup      = "setup"      // its program cannot be started here
	AbsentCapability = "capability" // what it requires stands for nothing here
	AbsentTask       = "task"       // the task that the call is a part of cannot have it
)

// Visitor is who looks at the tools.
type Visitor struct {
	Caller string
	Agent  bool
	// Headless says that nobody can be asked: what is asked about cannot run.
	Headless bool
}

// Capabilities says what all tools may use together, with what the policy adds, and of each
// tool what a visitor can expect at best. What can never run here is denied when it is called:
// the list and the call agree.
func (j Judges) Capabilities(ctx context.Context, v Visitor) *CapabilitiesDocument {
	tools := j.Tools.Tools()
	d := &CapabilitiesDocument{Revision: j.Policy.Revision(), Requires: capability.Union(j.Policy.Requires(), tools), Tools: []ToolDocument{}}
	for _, t := range tools {
		d.Tools = append(d.Tools, j.tool(ctx, t, v))
	}
	return d
}

func (j Judges) tool(ctx context.Context, t *manifest.Tool, v Visitor) ToolDocument {
	requires, assumed := j.Scope.Required(t)
	d := ToolDocument{Tool: t.Name, Requires: requires, Assumed: assumed}
	decision, absent := j.atBest(ctx, t, v)
	d.Decision, d.Absent, d.Permitted = decisionDocument(&decision), absent, absent == ""
	return d
}

// WhyAbsent returns why no call of a tool by a visitor can run: one of the Absent constants, and
// words; "" if one can.
func (j Judges) WhyAbsent(ctx context.Context, t *manifest.Tool, v Visitor) (reason, text string) {
	d, absent := j.atBest(ctx, t, v)
	if absent == "" {
		return "", ""
	}
	return absent, d.Reason
}

// atBest returns the mildest decision that a call of a tool can get, and why no call of it can
// run, "" if one can.
func (j Judges) atBest(ctx context.Context, t *manifest.Tool, v Visitor) (d policy.Decision, absent string) {
	set := j.Scope.Effective(t)
	in := input{scope: j.Scope, set: set, uses: j.Scope.Declared(t, set), dir: j.Scope.RunsIn(t)}
	if refused := in.check(t); refused != nil {
		return refused.Decision(), AbsentCapability
	}
	if why := j.missing(t); why != "" {
		return policy.Decision{Rule: "setup", Reason: why}, AbsentSetup
	}
	r := Request{Caller: v.Caller, Agent: v.Agent}
	d = j.Policy.Ever(ctx, in.view(t, "", &r, ""))
	if d.Verdict == policy.Deny || d.Verdict == policy.Ask && v.Headless {
		return d, AbsentPolicy
	}
	return d, ""
}

// missing returns why a tool's program cannot be started, "" if it can or is not known.
func (j Judges) missing(t *manifest.Tool) string {
	if j.CoreSetup != nil && t.Bridge.Kind == manifest.BridgeCore {
		return j.CoreSetup(t)
	}
	if j.Program == nil || t.Bridge.Exec == nil || len(t.Bridge.Exec.Command) == 0 {
		return ""
	}
	if why, _ := j.Program(t.Bridge.Exec.Command[0], t.Bridge.Exec.Cwd); why == "" {
		return ""
	}
	return fmt.Sprintf("its program %s cannot be started here", quote(t.Bridge.Exec.Command[0]))
}
