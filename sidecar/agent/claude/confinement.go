package claude

import (
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// confinement is what claude uses in a sandbox. Of the workspace it needs nothing: it does not read CLAUDE.md
// there. Its settings file beside its directory, ~/.claude.json, is replaced by claude by another one
// if it can, and else written to. Seen with 2.1.328.
func confinement() *spec.Confinement {
	return &spec.Confinement{
		Modes: []string{"pty", "oneshot", "stream"},
		State: []spec.Place{
			{Path: "~/.claude", Variable: "CLAUDE_CONFIG_DIR"},
			{Path: "~/.claude.json", Variable: "CLAUDE_CONFIG_DIR", Below: ".claude.json", File: true},
		},
		Hosts:     []string{"api.anthropic.com:443", "platform.claude.com:443"}, // the second one renews a login
		Variables: []string{"ANTHROPIC_BASE_URL", "ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_VERTEX_BASE_URL", "ANTHROPIC_FOUNDRY_BASE_URL"},
		Models:    models,
		Env:       []string{"CLAUDE_CODE_TMPDIR={tmp}"},
	}
}

// models returns the model's address in the user's settings, which count over the variables.
func models(l *spec.Launch) []string {
	settings, err := userSettings(l)
	if err != nil {
		return nil // the recipe says it
	}
	variables := map[string]string{}
	if json.Unmarshal(settings["env"], &variables) != nil {
		return nil
	}
	return []string{variables["ANTHROPIC_BASE_URL"]}
}
