package call

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// Agent is the wrapped agent as calls see it. Call waits for the agent's turn and its
// answer. An error that is, or wraps, a2a.ErrBusy or a2a.ErrUnavailable says that
// nothing was run; after ctx has ended, any error means that the call was stopped.
// After Call has returned, nothing of the call may run, and Output must not be
// called. If a result has no Output, the output is what was passed to the call's
// Output.
type Agent interface {
	Call(ctx context.Context, c driver.Call) (driver.CallResult, error)
}

// runAgent passes a call to the agent: the tool has no bridge of its own, or has a
// prompt.
func (p *Pipeline) runAgent(ctx context.Context, inv *Invocation) *execution {
	if p.opts.Agent == nil {
		return unavailable(inv, "there is no agent")
	}
	e := &execution{out: p.listen(inv)}
	c := driver.Call{
		Task: inv.task, ID: inv.id, Tool: inv.tool.Name, Arguments: json.RawMessage(inv.input.final), Within: inv.busyAgent(), TraceParent: inv.request.TraceParent,
		Output: func(chunk []byte) { inv.stream(e.out.write(chunk)) }, Work: inv.emits(),
	}
	if inv.tool.Bridge.Kind == manifest.BridgePrompt {
		c.Prompt = inv.input.text
	}
	answer, err := p.opts.Agent.Call(ctx, c)
	switch {
	case err != nil && ctx.Err() != nil:
		e.stopped = context.Cause(ctx)
		e.partly(inv, answer)
	case errors.Is(err, a2a.ErrBusy):
		e.failure = ended(Busy, err.Error())
	case errors.Is(err, a2a.ErrUnavailable):
		return unavailable(inv, err.Error())
	case err != nil:
		e.failure = failed(err.Error())
	default:
		e.answered(inv, answer)
	}
	return e
}

// partly keeps what the agent had said of an answer that was not finished, if it did not
// stream it.
func (e *execution) partly(inv *Invocation, a driver.CallResult) {
	if e.out.total == 0 && len(a.Output) > 0 {
		e.out.replace(a.Output)
	}
	e.stderr = a.Stderr
	e.cleanStderr(inv)
}

// answered replaces what was streamed by the agent's answer.
func (e *execution) answered(inv *Invocation, a driver.CallResult) {
	if a.Output != nil {
		e.out.replace(a.Output)
	}
	e.structured = a.Structured
	e.stderr = a.Stderr
	e.cleanStderr(inv)
	exit := ""
	if a.Exit != nil && !a.Exit.Success() {
		exit = a.Exit.String()
	}
	if !a.IsError && exit == "" {
		return
	}
	text := exitText(exit, &e.stderr)
	if text == "" {
		text = orText(cutText(e.out.text(), reasonLimit), "the agent says that the call failed")
	}
	e.failure = failed(text)
}
