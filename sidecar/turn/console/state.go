package console

import "github.com/a2a-sidecar/sidecar/sidecar/agent/state"

// AgentState is what a task's metadata says of its agent.
type AgentState struct {
	State      string  `json:"state"`
	Source     string  `json:"source"`
	Confidence float64 `json:"confidence"`
	Rule       string  `json:"rule,omitempty"`
}

// StateOf says it of a verdict.
func StateOf(v state.Verdict) AgentState {
	return AgentState{State: string(v.State), Source: v.Source, Confidence: v.Confidence, Rule: v.Rule}
}
