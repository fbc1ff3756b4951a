package agent

import (
	"slices"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// Best returns the mode that suits the agent of a command best, if one that is known suits it better
// than its terminal; "" if none does. why says what speaks for it, as the end of a sentence.
func Best(command []string) (mode, why string) {
	if a, ok := Adapted(command); ok {
		return config.ModeACP, "the command speaks ACP for " + a.Name
	}
	a := Named(NameFor(command))
	for _, w := range a.Ways {
		if w.Mode != config.ModeStream || a.Stream != nil {
			return w.Mode, "the command is " + a.Name + ": " + w.Why
		}
	}
	return "", ""
}

// Adapted returns the agent for which a command speaks ACP: the command is one of its Adapters.
func Adapted(command []string) (spec.Agent, bool) {
	name, _ := profile.Program(command)
	for _, a := range Known() {
		if slices.Contains(a.Adapters, name) {
			return a, true
		}
	}
	return spec.Agent{}, false
}

// WithStream lists the names of the agents that can be spoken to in messages of their own.
func WithStream() []string {
	return namesOf(func(a spec.Agent) bool { return a.Stream != nil })
}
