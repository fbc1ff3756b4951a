package console

import "github.com/a2a-sidecar/sidecar/sidecar/agent/state"

// AgentState is what a task's metadata says about its agent.
type AgentState struct {
	State      string  `json:"state"`
	Source     string  `json:"source"`
	Confidence float64 `json:"confidence"`
	Rule       string  `json:"rule,omitempty"`
	// FullScreen says that the agent is a program that has the whole screen, and that its
	// answer is that screen.
	FullScreen bool `json:"fullScreen,omitempty"`
}

// StateOf returns the AgentState of a verdict.
func StateOf(v state.Verdict) AgentState {
	return AgentState{State: string(v.State), Source: v.Source, Confidence: v.Confidence, Rule: v.Rule}
}
