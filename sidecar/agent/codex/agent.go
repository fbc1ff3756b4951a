// Package codex is what is known of the Codex CLI: profile.json says how its terminal is
// read and typed to.
//
// In messages it is spoken to over `codex app-server`: appserver_plan.go says how that is started,
// appserver.go is our end of the connection, and appserver_turn.go, appserver_notice.go, appserver_item.go,
// appserver_ending.go and appserver_request.go are its turns, what it tells in them, how they end and what it asks.
//
// codex runs one program at the end of each turn: see hooks.go. Its structured
// output is that of `codex exec --json`.
package codex

import (
	_ "embed"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

//go:embed profile.json
var profile string

// Agent returns what is known of the Codex CLI.
func Agent() spec.Agent {
	return spec.Agent{
		Name: "codex", Profile: profile,
		Hooks:     &spec.Hooks{Install: install, Read: readHook},
		Tools:     giveTools,
		Govern:    govern(),
		Protected: []string{".codex"},
		Ways:      []spec.Way{{Mode: "stream", Why: "it says there each word and what it uses, asks before it acts, and holds many conversations in one process"}},
		Adapters:  []string{"codex-acp"},
		Explain:   explain,
		Dialect:   spec.NewDialect(recognizes, readEvent),
		Stream:    &spec.Stream{Plan: planAppServer, Peer: newServer},
	}
}
