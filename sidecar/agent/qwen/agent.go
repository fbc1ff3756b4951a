// Package qwen is what is known of Qwen Code: profile.json says how its terminal is
// read and typed to.
//
// qwen is a fork of gemini, and its screen still is like gemini's. Its hooks and
// its structured output are claude's: hooks.go says how it is given its hooks, and
// output.go what its output has of its own.
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
		Hooks:   &spec.Hooks{Install: install, Read: like.Hooks.Read},
		Dialect: dialect(like.Dialect),
	}
}
