package gemini

import (
	"slices"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// noRelaunch keeps gemini from starting itself again as a child, which would not be told of what
// its parent is told.
const noRelaunch = "GEMINI_CLI_NO_RELAUNCH"

// whole returns the environment in which gemini is one process, unless the user wants it otherwise.
func whole(l *spec.Launch) []string {
	if l.Getenv(noRelaunch) != "" {
		return l.Env
	}
	return append(slices.Clone(l.Env), noRelaunch+"=true")
}

// speakACP adds the flag with which gemini speaks ACP, under its name of today; it had another one
// before.
func speakACP(l *spec.Launch) (spec.Plan, error) {
	plan := spec.Plan{Argv: l.Argv, Env: whole(l)}
	if len(l.Flags("--acp"))+len(l.Flags("--experimental-acp")) == 0 {
		plan.Argv = l.With("--acp")
	}
	return plan, nil
}
