package sidecar

import (
	"context"

	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// agentBridge lets the pipeline reach the wrapped agent without knowing how
// turns work.
type agentBridge struct{ runner *turn.Runner }

var _ call.Agent = agentBridge{}

// CallTool hands a call to the agent and waits for its answer.
func (b agentBridge) CallTool(ctx context.Context, c call.AgentCall) (call.AgentResult, error) {
	r, err := b.runner.Call(ctx, driver.Call{
		Task: c.Task, ID: c.ID, Tool: c.Tool, Arguments: c.Arguments, TraceParent: c.TraceParent, Prompt: c.Prompt, Output: c.Output,
	})
	if err != nil {
		return call.AgentResult{}, err
	}
	out := call.AgentResult{Output: r.Output, Structured: r.Structured, IsError: r.IsError, Stderr: r.Stderr}
	if r.Exit != nil && !r.Exit.Success() {
		out.Exit = r.Exit.String()
	}
	return out, nil
}
