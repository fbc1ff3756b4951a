// Package opencode is what is known of opencode: profile.json says how its terminal is
// read and typed to.
//
// opencode reports what it does as a stream of events on a port of its own: hooks.go
// says how it is started for that, stream.go reads the stream and events.go makes
// reports of it. Its structured output is that of `opencode run --format json`.
//
// In --mode stream it is `opencode serve`: serve.go says how that is started and where it listens,
// conn.go is our end of the connection, session.go opens a conversation, family.go says to which turn an event belongs, prompt.go, turn.go,
// words.go, tool.go and ending.go are a turn, ask.go and action.go what the agent asks for in it, and catchup.go is how it goes on
// after a part of the events was lost.
package opencode

import (
	_ "embed"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

//go:embed profile.json
var profile string

// Agent returns what is known of opencode.
func Agent() spec.Agent {
	return spec.Agent{
		Name: "opencode", Profile: profile,
		Hooks:     &spec.Hooks{Install: install},
		Tools:     giveTools,
		Protected: []string{".opencode", "opencode.json", "opencode.jsonc", ".config/opencode"},
		Govern:    govern(),
		Ways: []spec.Way{ // in ACP it takes a message that begins with / for a command and drops it
			{Mode: "stream", Why: "its server asks before it acts, says what it costs, and holds many conversations in one process"},
			{Mode: "acp", Why: "it asks there before it acts, and holds many conversations in one process"},
		},
		ACP:     speakACP,
		Stream:  &spec.Stream{Plan: serve, Peer: connect},
		Dialect: spec.NewDialect(recognizes, readEvent),
	}
}
