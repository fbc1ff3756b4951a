package call

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// Judges are what says whether a call may run, without a watchdog or a person.
type Judges struct {
	Tools *manifest.Snapshot
	// Absent is Options.Absent for whoever asks. nil: there is none.
	Absent func(name string) (reason, text string)
	Scope  *capability.Scope
	Policy *policy.Set
	// Program says why a tool's program cannot be started here, as manifest.Options.Program.
	// nil: nobody looks.
	Program func(program, cwd string) (reason, hint string)
	// CoreSetup is Options.CoreSetup. nil: nothing is missing.
	CoreSetup func(t *manifest.Tool) string
}

// Explanation says what would become of a call.
type Explanation struct {
	Tool   string
	Caller string
	Agent  bool
	// Uses are what the call would use.
	Uses []policy.Use
	// Invalid says why no rule was asked, "" if one was: there is no such tool, or its
	// arguments are wrong.
	Invalid string
	// Decision is what the tool's requirements and the rules say.
	Decision policy.Decision
}

// Explain judges a call as the stages of a call do, and starts nothing. The watchdog is not
// asked. The name of a tool that agents have by themselves (policy.OwnTool) has what the arguments name
// judged.
func (j Judges) Explain(ctx context.Context, r Request) Explanation {
	e := Explanation{Tool: cutText(r.Tool, nameLimit), Caller: r.Caller, Agent: r.Agent}
	found, ok := j.Tools.Lookup(tool.Canonical(r.Tool))
	if len(bytes.TrimSpace(r.Arguments)) == 0 {
		r.Arguments = json.RawMessage(noArguments)
	}
	if !ok {
		if own, ok := j.explainOwn(ctx, &r); ok {
			return own
		}
		e.Invalid = j.unknown(r.Tool)
		return e
	}
	e.Tool = found.Name
	var line bytes.Buffer
	oneLine(&line, r.Arguments)
	in, err := readInput(ctx, j.Tools, found, j.Scope, r.Arguments, line.String())
	if err != nil {
		e.Invalid = err.Error()
		return e
	}
	e.Uses = in.uses
	if err := in.check(found); err != nil {
		e.Decision = err.Decision()
		return e
	}
	e.Decision = j.Policy.Explain(ctx, in.view(found, line.String(), &r, r.ContextID))
	return e
}

// unknown says why a tool cannot be looked up.
func (j Judges) unknown(name string) string {
	if j.Absent != nil {
		if reason, text := j.Absent(name); reason != "" {
			return absent(name, reason, text).text
		}
	}
	return unknownTool(j.Tools, name).text
}
