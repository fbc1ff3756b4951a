package call

import (
	"context"
	"errors"
	"fmt"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// interruptible returns the context in which the bridge of a call works. It ends with ctx,
// by the stop ladder, if the tool says "interrupt": "cancel". A tool that says "finish" is
// let run to its end when somebody cancels its call, which the task then says; its time
// limits, the end of a drain and Close stop it all the same. Nested calls end with the
// context too.
func (p *Pipeline) interruptible(ctx context.Context, inv *Invocation) (run context.Context, release func()) {
	run, release = ctx, func() {}
	if inv.tool.Interrupt == manifest.InterruptFinish {
		run, release = p.finishing(ctx, inv)
	}
	p.mu.Lock()
	inv.stopping = run
	p.mu.Unlock()
	return run, release
}

// finishing returns a context that does not end when the call is canceled.
func (p *Pipeline) finishing(ctx context.Context, inv *Invocation) (context.Context, func()) {
	run, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	late := func() {}
	if at, ok := ctx.Deadline(); ok {
		run, late = context.WithDeadlineCause(run, at, task.ErrDeadline)
	}
	canceled := context.AfterFunc(ctx, func() {
		if cause := context.Cause(ctx); !errors.Is(cause, task.ErrCanceled) {
			cancel(cause)
			return
		}
		inv.tell(fmt.Sprintf("canceled, but %q runs to its end: it must not be interrupted", inv.name()))
	})
	stopped := context.AfterFunc(p.hard, func() { cancel(task.ErrDraining) })
	return run, func() {
		canceled()
		stopped()
		late()
		cancel(nil)
	}
}

// tell tells the task's readers something about the call in words.
func (i *Invocation) tell(words string) {
	m := &a2a.Message{
		ID: a2a.NewID(), TaskID: i.task.ID(), ContextID: i.task.ContextID(), Role: a2a.RoleAgent,
		Parts: []a2a.Part{a2a.TextPart(words)}, Extensions: []string{ExtensionURI},
	}
	_ = i.task.Status(i.state(), m, i.toolCall(statusExecuting, nil)) // a task that has ended needs no word
}
