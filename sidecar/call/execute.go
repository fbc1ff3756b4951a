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
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// execution is what a bridge brings back. At most one of stopped and failure is set;
// done counts unless stopped is set.
type execution struct {
	out        *said           // what the tool said
	format     string          // "text", "json", or "" for JSON if it parses
	media      string          // the media type of an output that is not text, "" if it is not known
	structured json.RawMessage // a result that is JSON already; it beats out
	synthetic  SyntheticText   // our own words in place of a result, "" for none
	stopped    error           // the cause, if the call was stopped
	done       *channel.Done   // what the tool declared over the channel
	failure    *result         // the tool failed, or could not be run
	stderr     job.Stderr      // the end of stderr
	artifacts  []a2a.ArtifactUpdate
	changes    []tool.Change // of files, by a tool of our own
	redacted   bool          // secrets were taken out of stderr
}

// bridge passes a call to what executes it. It returns after everything that it
// started for the call has ended.
type bridge func(ctx context.Context, inv *Invocation) *execution

// timeLimit is the cause that ends a call when its time limit has passed.
type timeLimit time.Duration

func (l timeLimit) Error() string {
	return fmt.Sprintf("the time limit of %s was reached", time.Duration(l))
}

func (timeLimit) Is(target error) bool { return target == task.ErrDeadline }

// execute runs the bridge within the tool's time limit and judges what it brought
// back.
func (p *Pipeline) execute(ctx context.Context, inv *Invocation) *result {
	inv.began = time.Now()
	limit := inv.tool.Timeout
	for _, other := range []time.Duration{p.opts.Timeout, inv.limit} {
		if limit <= 0 || other > 0 && other < limit {
			limit = other
		}
	}
	ctx, inv.stop = context.WithCancelCause(ctx)
	defer inv.stop(nil)
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, timeLimit(limit))
		defer cancel()
	}
	ctx, release := p.interruptible(ctx, inv)
	defer release()
	inv.report(statusExecuting)
	p.opts.Log.Debug("tool call started", "task", inv.task.ID(), "context", inv.task.ContextID(), "tool", inv.name(), "call", inv.id,
		"door", inv.request.Door, "waited_ms", inv.began.Sub(inv.admitted).Milliseconds())
	e := p.bridge(inv.tool)(ctx, inv)
	inv.stream(e.out.end())
	return e.judge(inv)
}

// limited returns ctx with the caller's own limit, which began when the call came.
func (i *Invocation) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := i.request.Timeout
	if limit <= 0 {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, i.admitted.Add(limit), timeLimit(limit))
}

// bridge returns the bridge that executes a tool.
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

// executor returns the bridge for the tools of one kind, nil for none.
func (p *Pipeline) executor(kind manifest.BridgeKind) bridge {
	switch kind {
	case manifest.BridgeExec:
		return p.runExec
	case manifest.BridgeHTTP:
		return p.runHTTP
	case manifest.BridgeMCP:
		return p.runMCP
	case manifest.BridgeCore:
		return p.runCore
	case manifest.BridgeAgent, manifest.BridgePrompt:
		return p.runAgent
	}
	return nil
}

// listen returns what takes the tool's output.
func (p *Pipeline) listen(inv *Invocation) *said {
	var s *side
	if p.opts.Outputs != nil {
		s = &side{store: p.opts.Outputs, id: inv.task.ID(), session: inv.task.ContextID(), stop: inv.stop, log: p.opts.Log}
		inv.after = append(inv.after, s.discard) // what a crash left unfinished
	}
	return newSaid(outputLimitOf(inv.tool, p.opts.MaxOutput), inv.secrets, s)
}

// unavailable is the execution of a call whose executor is missing.
func unavailable(inv *Invocation, why string) *execution {
	return &execution{failure: ended(Unavailable, fmt.Sprintf("tool %q is unavailable: %s", inv.tool.Name, why))}
}
