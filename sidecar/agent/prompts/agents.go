// Package prompts is what is known of programs that read a line at their prompt:
// shells, interpreters, debuggers, database clients. Each is a profile and nothing
// else: one JSON file in this folder, named after it.
package prompts

import (
	"embed"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

//go:embed *.json
var profiles embed.FS

// Agents returns what is known of each of these programs, in alphabetical order.
func Agents() []spec.Agent {
	entries, err := profiles.ReadDir(".")
	if err != nil {
		panic(err) // it is embedded
	}
	agents := make([]spec.Agent, 0, len(entries))
	for _, e := range entries {
		text, err := profiles.ReadFile(e.Name())
		if err != nil {
			panic(err) // it is embedded
		}
		agents = append(agents, spec.Agent{Name: strings.TrimSuffix(e.Name(), ".json"), Profile: string(text)})
	}
	return agents
}
