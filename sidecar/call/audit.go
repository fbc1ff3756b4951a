package call

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// Audit records calls. It may be used by many goroutines. A record is not changed any
// more after it was passed on, except that Before sets its Seq.
type Audit interface {
	// Before records a call that is about to be executed. An error says that the call
	// must not be.
	Before(ctx context.Context, r *audit.Record) error
	// After records a call that has ended. It does not wait for the disk.
	After(r *audit.Record)
	// Stand returns what stands for a call's arguments.
	Stand(arguments string) *audit.Arguments
}

// looker is a Decider whose rules look at arguments. Pointers returns which of a tool's
// arguments they look at, as JSON pointers.
type looker interface {
	Pointers(tool string) []string
}

// record notes in the audit that the call is about to be executed. A call that cannot be
// recorded is denied, if the audit says so.
func (p *Pipeline) record(ctx context.Context, inv *Invocation) *result {
	if p.opts.Audit == nil {
		return nil
	}
	r := p.judged(inv, audit.EventBefore)
	cleanRecord(p.hidden(inv), r)
	if err := p.opts.Audit.Before(ctx, r); err != nil {
		if ctx.Err() != nil {
			return notStarted(context.Cause(ctx))
		}
		return ended(Denied, fmt.Sprintf("%q is not called, because the audit cannot record it: %s", inv.tool.Name, err))
	}
	inv.recorded = r
	return nil
}

// recordEnd notes in the audit how the call ended.
func (p *Pipeline) recordEnd(inv *Invocation, res *result, took time.Duration) {
	if p.opts.Audit == nil {
		return
	}
	var r *audit.Record
	if before := inv.recorded; before != nil {
		r = follows(before, audit.EventAfter, inv.began)
	} else {
		r = p.judged(inv, audit.EventRefused)
	}
	r.Outcome, r.DurationMS, r.Bytes = res.outcome.String(), took.Milliseconds(), int64(len(inv.envelope))
	if r.Event == audit.EventRefused && res.outcome.Case != InvalidArguments { // those words may quote arguments, and a tool's anything
		r.Reason = cutText(res.text, reasonText)
	}
	r.Egress = inv.egress.list()
	if inv.layers != 0 {
		r.Sandbox = strings.Split(inv.layers.String(), ", ")
	}
	if inv.exited {
		addExit(r, inv.exit)
	}
	cleanRecord(p.hidden(inv), r)
	p.opts.Audit.After(r)
}

// follows returns a record of what became of a call that was recorded before.
func follows(before *audit.Record, e audit.Event, began time.Time) *audit.Record {
	return &audit.Record{
		Event: e, Of: before.Seq, Task: before.Task, Call: before.Call, Context: before.Context, Caller: before.Caller,
		Agent: before.Agent, Tool: before.Tool, Began: began.UTC(),
	}
}

func addExit(r *audit.Record, exit proc.Exit) {
	code := exit.Code
	r.ExitCode = &code
	if exit.Signal != 0 {
		r.Signal = strings.TrimPrefix(exit.String(), "killed by ")
	}
}

// The outcomes of a process in the background.
const (
	leftExited  = "exited"
	leftStopped = "stopped" // the reason says by what
)

// recordLeft returns what notes in the audit how a process has ended that a call starts in the background.
func (p *Pipeline) recordLeft(inv *Invocation) func(*background, *job.Result) {
	before, layers, secrets := inv.recorded, inv.layers, p.hidden(inv)
	if before == nil {
		return func(*background, *job.Result) {}
	}
	return func(b *background, res *job.Result) {
		r := follows(before, audit.EventLeft, b.began)
		r.Outcome, r.DurationMS, r.Bytes, r.Egress = leftExited, time.Since(b.began).Milliseconds(), b.said(), inv.egress.list()
		if res.Stopped != nil {
			r.Outcome, r.Reason = leftStopped, cutText(res.Stopped.Error(), reasonText)
		}
		if layers != 0 {
			r.Sandbox = strings.Split(layers.String(), ", ")
		}
		addExit(r, res.Exit)
		cleanRecord(secrets, r)
		p.opts.Audit.After(r)
	}
}

// judged returns a record of what is known of the call so far: who makes it, what was
// judged, and what was said of it.
func (p *Pipeline) judged(inv *Invocation, e audit.Event) *audit.Record {
	r := &audit.Record{
		Event: e, Task: inv.task.ID(), Call: inv.id, Context: inv.task.ContextID(), Caller: inv.request.Caller, Agent: inv.request.Agent,
		Door: inv.request.Door, Tool: inv.name(), Admitted: inv.admitted.UTC(), Approval: inv.approval,
	}
	if inv.parent != nil {
		r.Parent = inv.parent.task.ID()
	}
	arguments := inv.args
	if arguments == "" {
		arguments = string(inv.request.Arguments) // not JSON
	}
	r.Arguments = p.opts.Audit.Stand(arguments)
	if inv.tool == nil {
		return r
	}
	if r.Source = inv.tool.Source(); inv.own != nil {
		r.Source = policy.OwnSource
	}
	r.Definition, r.Effects = inv.tool.Digest, string(inv.tool.Effects)
	if inv.tool.Bridge.Kind == manifest.BridgeExec {
		r.Command = inv.tool.Bridge.Exec.Command
	}
	if looks, ok := p.opts.Decider.(looker); ok {
		r.Arguments.Judged = audit.Prune(inv.args, looks.Pointers(inv.tool.Name))
	}
	if inv.input.scope != nil { // its arguments were read
		q := inv.permission()
		r.Uses, r.Roots, r.Dir = audit.UsesOf(q.Uses), q.Roots, q.Dir
	}
	r.Decision = audit.DecisionOf(inv.rules)
	if a := inv.watched; a != nil {
		r.Watchdog = &audit.Watchdog{Verdict: a.Verdict.String(), Reason: a.Reason, Failure: string(a.Failure), TookMS: a.Took.Milliseconds()}
	}
	return r
}

// answeredBy notes an approval's end for the audit.
func (i *Invocation) answeredBy(a *approval.Approval, answer approval.Answer, err error) {
	r := &audit.Approval{ID: a.ID(), Option: string(answer.Option), By: answer.By}
	switch {
	case errors.Is(err, approval.ErrTimeout):
		r.Option = "expired"
	case errors.Is(err, approval.ErrOvertaken):
		r.Option = "overtaken"
	case err != nil:
		r.Option = "withdrawn"
	}
	i.approval = r
}
