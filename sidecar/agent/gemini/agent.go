// Package gemini is what is known of the Gemini CLI: profile.json says how its terminal is
// read and typed to.
//
// gemini calls its hooks with one JSON object on stdin, if it can be made to: see
// hooks.go. Its structured output is that of `gemini -p -o json|stream-json`.
package gemini

import (
	_ "embed"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

//go:embed profile.json
var profile string

// Agent returns what is known of the Gemini CLI.
func Agent() spec.Agent {
	return spec.Agent{
		Name: "gemini", Profile: profile,
		Hooks:     &spec.Hooks{Install: install, Read: readHook},
		Tools:     giveTools,
		Govern:    govern(),
		Protected: []string{".gemini"},
		Ways:      []spec.Way{{Mode: "acp", Why: "it asks there before it acts, and says each word as it comes"}},
		ACP:       speakACP,
		Explain:   explain,
		Stream:    &spec.Stream{Once: once()},
		Dialect:   spec.NewDialect(recognizes, readEvent),
	}
}
