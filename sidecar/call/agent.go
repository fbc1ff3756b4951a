package call

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Agent is the wrapped agent as calls see it. CallTool waits for the agent's
// turn and its answer. An error that is, or wraps, a2a.ErrBusy or
// a2a.ErrUnavailable says that nothing was run; once ctx has ended any error
// means that the call was stopped. Nothing of the call may run, and Output must
// not be called, after CallTool has returned.
type Agent interface {
	CallTool(ctx context.Context, c AgentCall) (AgentResult, error)
}

// AgentCall is one call for the agent.
type AgentCall struct {
	Task      *task.Task
	ID        string
	Tool      string
	Arguments json.RawMessage
	// TraceParent is the W3C header for the agent's process, "" for none.
	TraceParent string
	// Prompt is the text to type for a tool of the prompt bridge, "" for the
	// agent's own way to be called.
	Prompt string
	// Output takes what the agent says as it says it, one chunk at a time; the
	// chunk is not kept.
	Output func(chunk []byte)
}

// AgentResult is what the agent answered.
type AgentResult struct {
	// Output is the whole answer, text or JSON; nil: what was passed to
	// AgentCall.Output.
	Output []byte
	// Structured is an answer that is JSON already; it wins over Output.
	Structured json.RawMessage
	// IsError says that the agent calls the answer an error.
	IsError bool
	// Exit says how the agent's process failed, "" when it did not.
	Exit   string
	Stderr string
}

// runAgent takes a call to the agent: of a tool without a bridge of its own,
// or with a prompt.
func (p *Pipeline) runAgent(ctx context.Context, inv *Invocation) *execution {
	if p.opts.Agent == nil {
		return unavailable(inv, "there is no agent")
	}
	e := &execution{out: newOutput(p.maxOutput(inv.tool))}
	c := AgentCall{
		Task: inv.task, ID: inv.id, Tool: inv.tool.Name, Arguments: inv.input.Final, TraceParent: inv.request.TraceParent,
		Output: func(chunk []byte) { inv.stream(e.out.write(chunk)) },
	}
	if inv.tool.Bridge.Kind == manifest.BridgePrompt {
		c.Prompt = inv.prompt
	}
	answer, err := p.opts.Agent.CallTool(ctx, c)
	switch {
	case err != nil && ctx.Err() != nil:
		e.stopped = context.Cause(ctx)
	case errors.Is(err, a2a.ErrBusy):
		e.failure = ended(Busy, err.Error())
	case errors.Is(err, a2a.ErrUnavailable):
		return unavailable(inv, err.Error())
	case err != nil:
		e.failure = failed(err.Error())
	default:
		e.answered(answer)
	}
	return e
}

// answered takes the agent's answer in place of what was streamed.
func (e *execution) answered(a AgentResult) {
	if a.Output != nil {
		e.out = newOutput(e.out.limit)
		e.out.write(a.Output)
	}
	e.structured = a.Structured
	e.stderr.Add([]byte(a.Stderr))
	if !a.IsError && a.Exit == "" {
		return
	}
	text := exitText(a.Exit, a.Stderr)
	if text == "" {
		text = orText(cutText(e.out.text(), stderrInText), "the agent says that the call failed")
	}
	e.failure = failed(text)
}
