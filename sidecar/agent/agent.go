// Package agent holds the table of known agents and finds in it what is known of
// one: by its name, or by the command that starts it.
//
// Nothing else in the module knows an agent by its name. To add an agent, make a
// folder with what package spec asks for and add a line to [Known]; a program that
// only reads lines at a prompt is one JSON file in prompts/. What an agent reported
// and showed when it was recorded goes into the folder's testdata, where the tests of
// this package find it.
package agent

import (
	"slices"
	"sync"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/claude"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/codex"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/gemini"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/opencode"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/prompts"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/qwen"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// Known returns the known agents, in a list that is the caller's. If several recognize
// an event of structured output, the first of them reads it.
func Known() []spec.Agent { return slices.Clone(known()) }

// known makes the table once: it is asked for again and again.
var known = sync.OnceValue(func() []spec.Agent {
	return append(prompts.Agents(),
		claude.Agent(),
		codex.Agent(),
		gemini.Agent(),
		opencode.Agent(),
		qwen.Agent(),
	)
})

// Named returns the agent of that name. An unknown agent has a name and nothing else.
func Named(name string) spec.Agent {
	all := known()
	if i := slices.IndexFunc(all, func(a spec.Agent) bool { return a.Name == name }); i >= 0 {
		return all[i]
	}
	return spec.Agent{Name: name}
}

// WithHooks lists the names of the agents that can be made to report.
func WithHooks() []string {
	return namesOf(func(a spec.Agent) bool { return a.Hooks != nil })
}

// HookCommands lists the names of the agents that call a program to report.
func HookCommands() []string {
	return namesOf(func(a spec.Agent) bool { return a.Hooks != nil && a.Hooks.Read != nil })
}

// WithTools lists the names of the agents that can be given tools.
func WithTools() []string {
	return namesOf(func(a spec.Agent) bool { return a.Tools != nil })
}

// WithGoverning lists the names of the agents that can be governed.
func WithGoverning() []string {
	return namesOf(func(a spec.Agent) bool { return a.Govern != nil })
}

// WithRules lists the names of the agents whose settings can be made into rules.
func WithRules() []string {
	return namesOf(func(a spec.Agent) bool { return a.Rules != nil })
}

// Skills lists where agents look for a project's skills, relative to the workspace.
func Skills() (dirs []string) {
	for _, a := range Known() {
		if a.Skills != "" && !slices.Contains(dirs, a.Skills) {
			dirs = append(dirs, a.Skills)
		}
	}
	return dirs
}

// Protected returns the protected paths of all known agents.
func Protected() (all []string) {
	for _, a := range Known() {
		all = append(all, a.Protected...)
	}
	return all
}

func namesOf(is func(spec.Agent) bool) (names []string) {
	for _, a := range Known() {
		if is(a) {
			names = append(names, a.Name)
		}
	}
	return names
}

// Dialect returns how the output of a command is written, judged by the command. It is
// nil if the command is not known; Recognize then judges by the first event.
func Dialect(command []string) *spec.Dialect { return Named(NameFor(command)).Dialect }

// Recognize returns the dialect of an event that only one agent writes, or nil.
func Recognize(event []byte) *spec.Dialect {
	for _, a := range Known() {
		if a.Dialect != nil && a.Dialect.Recognizes(event) {
			return a.Dialect
		}
	}
	return nil
}
