package gemini

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
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

// What the ids of tool calls begin with over ACP: the name of the tool. That of a tool of a server is made of both names.
const (
	shellCall = "run_shell_command__"
	ourCall   = "mcp_" + spec.ServerName + "_"
	// ourTitle ends the title of a call of a tool of ours, and tells a server apart whose name begins like ours.
	ourTitle = " (" + spec.ServerName + " MCP Server)"
)

// explain finds the command of a call of the shell: gemini tells its arguments nowhere, and gives the whole command,
// unchanged, as the title of that tool.
func explain(_ json.RawMessage, a *peer.Action) {
	switch {
	case a.Kind == peer.Execute && strings.HasPrefix(a.ID, shellCall) && a.Command == "" && len(a.Argv) == 0:
		a.Command = a.Title
	case strings.HasPrefix(a.ID, ourCall) && strings.HasSuffix(a.Title, ourTitle):
		a.Ours = true
	}
}
