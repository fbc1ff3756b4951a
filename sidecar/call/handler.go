package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// SyntheticText is what a handler returns as its error if nothing was done and words of
// the sidecar's own take the place of a result, such as the refusal of a question that
// nobody can answer. The call ends as synthetic, with the words as its data.
type SyntheticText string

func (s SyntheticText) Error() string { return string(s) }

// handled is what a Go handler gave back.
type handled struct {
	data json.RawMessage
	err  error
	// crashed: the handler panicked; the log has the details.
	crashed bool
}

// runHandler runs a tool of the Registry. If its handler goes on after its context
// has ended, it gets the grace and is then left behind: it keeps the call's turn
// until it returns, and Close waits for it.
func (p *Pipeline) runHandler(ctx context.Context, inv *Invocation) *execution {
	inv.keeps = true
	answer := make(chan handled, 1)
	p.work.Go(func() {
		defer func() { _ = inv.place.Leave() }() // nobody waits for what a parent takes back
		answer <- p.handle(ctx, inv)
	})
	e := &execution{out: p.listen(inv)}
	select {
	case h := <-answer:
		return e.handled(ctx, h)
	case <-ctx.Done():
	}
	grace := time.NewTimer(p.opts.CancelGrace)
	defer grace.Stop()
	select {
	case h := <-answer:
		return e.handled(ctx, h)
	case <-grace.C:
		p.opts.Log.Warn("tool handler goes on after it was stopped", "tool", inv.tool.Name, "call", inv.id, "task", inv.task.ID())
	}
	e.stopped = context.Cause(ctx)
	return e
}

// handled turns a handler's answer into an execution. If the call was stopped, an
// answer that still came is a partial one.
func (e *execution) handled(ctx context.Context, h handled) *execution {
	switch {
	case h.crashed:
		e.failure = failed(crashText)
	case errors.As(h.err, &e.synthetic):
	case h.err != nil && ctx.Err() != nil:
		e.stopped = context.Cause(ctx)
	case h.err != nil:
		e.failure = invalid(h.err)
	default:
		e.structured = h.data
		if len(h.data) == 0 {
			e.structured = json.RawMessage("null")
		}
		if ctx.Err() != nil {
			e.stopped = context.Cause(ctx)
		}
	}
	return e
}

func (p *Pipeline) handle(ctx context.Context, inv *Invocation) (h handled) {
	defer func() {
		if v := recover(); v != nil {
			p.opts.Log.Error("tool handler panicked", "tool", inv.tool.Name, "call", inv.id, "task", inv.task.ID(),
				"panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			h = handled{crashed: true}
		}
	}()
	data, err := inv.tool.Handler(ctx, json.RawMessage(inv.input.final))
	return handled{data: data, err: err}
}
