package turn

import "github.com/a2a-sidecar/sidecar/sidecar/agent/state"

// agentState is what a task's metadata says of its agent.
type agentState struct {
	State      string  `json:"state"`
	Source     string  `json:"source"`
	Confidence float64 `json:"confidence"`
	Rule       string  `json:"rule,omitempty"`
}

// stateOf says it of a verdict.
func stateOf(v state.Verdict) agentState {
	return agentState{State: string(v.State), Source: v.Source, Confidence: v.Confidence, Rule: v.Rule}
}
