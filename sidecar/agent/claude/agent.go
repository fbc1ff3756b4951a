// Package claude is what is known of Claude Code: profile.json says how its terminal is
// read and typed to.
//
// claude calls its hooks with one JSON object on stdin: see hooks.go. Its
// structured output is that of `claude -p --output-format json|stream-json` (output.go).
// In messages it is spoken to by stream-json both ways: start with stream.go (how it is
// started), then connection.go (our end), prompt.go, turn.go and result.go (a turn), control.go
// (what both sides ask of each other), action.go (its tools), question.go, todo.go, option.go.
package claude

import (
	_ "embed"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

//go:embed profile.json
var profile string

// Agent returns what is known of Claude Code.
func Agent() spec.Agent {
	return spec.Agent{
		Name: "claude", Profile: profile,
		Hooks:     &spec.Hooks{Install: install, Read: readHook},
		Dialect:   &spec.Dialect{Recognizes: recognizes, Reader: newReader},
		Tools:     giveTools,
		Govern:    govern(),
		Protected: []string{".claude", ".claude.json", ".claude-plugin"},
		Stream:    &spec.Stream{Plan: planStream, Peer: newPeer, Single: true},
		Ways:      []spec.Way{{Mode: "stream", Why: "it says there each word, what it uses and what it costs, and asks before it acts"}},
		// The first is the one that is kept up; the other was its name before.
		Adapters: []string{"claude-agent-acp", "claude-code-acp"},
		Explain:  explain,
		Rules:    importRules,
		Skills:   ".claude/skills",
	}
}
