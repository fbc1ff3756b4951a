// Package qwen is what is known of Qwen Code: profile.json says how its terminal is
// read and typed to.
//
// qwen is a fork of gemini, and its screen is still like gemini's. Its hooks and its
// structured output are like claude's: hooks.go says how it gets its hooks, and
// output.go what is special about its output.
package qwen

import (
	_ "embed"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/claude"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

//go:embed profile.json
var profile string

// Agent returns what is known of Qwen Code.
func Agent() spec.Agent {
	like := claude.Agent()
	return spec.Agent{
		Name: "qwen", Profile: profile,
		Protected: []string{".qwen"},
		Hooks:     &spec.Hooks{Install: install, Read: like.Hooks.Read},
		Dialect:   dialect(like.Dialect),
	}
}
