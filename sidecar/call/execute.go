package call

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// execution is what a bridge brings back. At most one of stopped and failure
// is set; done counts when neither stopped it.
type execution struct {
	out        *output         // what the tool said
	format     string          // "text", "json" or "" for JSON when it parses
	structured json.RawMessage // a result that is JSON already; wins over out
	stopped    error           // the cause, when the call was stopped
	done       *channel.Done   // what the tool declared over the channel
	failure    *result         // the tool failed, or could not be run
	stderr     job.Stderr      // the end of it
	artifacts  []a2a.ArtifactUpdate
}

// bridge reaches what executes a call. It returns when nothing that it started
// for the call runs any more.
type bridge func(ctx context.Context, inv *Invocation) *execution

// timeLimit is the cause that ends a call whose time is over.
type timeLimit time.Duration

func (l timeLimit) Error() string {
	return fmt.Sprintf("the time limit of %s was reached", time.Duration(l))
}

func (timeLimit) Is(target error) bool { return target == task.ErrDeadline }

// execute runs the bridge within the tool's time limit and judges what it
// brought back. The call's turn ends with it, before the result is written.
func (p *Pipeline) execute(ctx context.Context, inv *Invocation) *result {
	defer inv.leave()
	inv.began = time.Now()
	limit := inv.tool.Timeout
	if limit <= 0 {
		limit = p.opts.Timeout
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, timeLimit(limit))
		defer cancel()
	}
	inv.report(statusExecuting)
	p.opts.Log.Debug("tool call started", "task", inv.task.ID(), "context", inv.task.ContextID(), "tool", inv.name(), "call", inv.id,
		"door", inv.request.Door, "waited_ms", inv.began.Sub(inv.admitted).Milliseconds())
	return p.bridge(inv.tool)(ctx, inv).judge(inv)
}

// bridge returns what executes a tool.
func (p *Pipeline) bridge(t *manifest.Tool) bridge {
	switch {
	case t.Handler != nil:
		return p.runHandler
	case p.executor(t.Bridge.Kind) != nil:
		return p.executor(t.Bridge.Kind)
	}
	return func(_ context.Context, inv *Invocation) *execution {
		return unavailable(inv, fmt.Sprintf("nothing executes its bridge %q", t.Bridge.Kind))
	}
}

// executor returns what executes the tools with a kind of bridge, nil for nothing.
func (p *Pipeline) executor(kind manifest.BridgeKind) bridge {
	switch kind {
	case manifest.BridgeExec:
		return p.runExec
	case manifest.BridgeAgent, manifest.BridgePrompt:
		return p.runAgent
	}
	return nil
}

// maxOutput is the limit of the tool's output in bytes.
func (p *Pipeline) maxOutput(t *manifest.Tool) int64 {
	if t.MaxOutput > 0 {
		return t.MaxOutput
	}
	return p.opts.MaxOutput
}

// unavailable is a call whose executor is not there.
func unavailable(inv *Invocation, why string) *execution {
	return &execution{failure: ended(Unavailable, fmt.Sprintf("tool %q is unavailable: %s", inv.tool.Name, why))}
}
