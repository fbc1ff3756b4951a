package call

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
)

// stage takes a call one step further. A stage that returns a result has ended the
// call; after nil the next stage runs.
type stage func(ctx context.Context, inv *Invocation) *result

// call takes one invocation through the stages, in order, and returns how it ended. A
// panic is a failed call: nothing else crashes, and its text stays in the log.
func (p *Pipeline) call(ctx context.Context, inv *Invocation) (r *result) {
	defer func() {
		if v := recover(); v != nil {
			p.logPanic(inv, v)
			r = failed(crashText)
		}
	}()
	for _, s := range [...]stage{
		p.admit,    // does the pinned snapshot have the tool, is work taken
		p.validate, // the arguments against the schema
		p.afford,   // the budget of the work that it is a part of
		p.permit,   // the rules, and an approval if they say ask
		p.charge,   // the budget again: what was allowed counts
		p.schedule, // reads run together, writes alone; the queue is bounded
		p.record,   // the audit: nothing is executed before it was recorded
		p.execute,  // the bridge
	} {
		if r := s(ctx, inv); r != nil {
			return r
		}
	}
	return failed("the call ended without a result")
}

// end settles a call. Should that panic, the call has failed all the same.
func (p *Pipeline) end(ctx context.Context, inv *Invocation, r *result) {
	defer func() {
		if v := recover(); v != nil {
			p.logPanic(inv, v)
			crash := failed(crashText)
			inv.outcome, inv.envelope = crash.outcome, crash.encode(inv, 0)
			_ = inv.task.Finish(crash.outcome.State(), nil, nil) // an error says that it has ended already
		}
	}()
	p.settle(ctx, inv, r)
}

// logOf returns the log with the attributes of a call.
func (p *Pipeline) logOf(inv *Invocation) *slog.Logger {
	return p.opts.Log.With("tool", inv.name(), "call", inv.id, "task", inv.task.ID())
}

func (p *Pipeline) logPanic(inv *Invocation, v any) {
	p.logOf(inv).Error("tool call panicked",
		"panic", p.clean(inv, fmt.Sprint(v)), "stack", string(debug.Stack()))
}
