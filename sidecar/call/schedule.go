package call

import (
	"context"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call/schedule"
)

// Depth is how many calls may be nested in each other. A call that a tool's program
// makes, or the agent while it works for a call, is nested in that call.
const Depth = 8

// schedule waits for the call's turn: reads run together, writes alone, and those of an MCP server
// that cannot write here alone in their server. A nested call
// runs in the place of the call that waits for it. If the queue is full, the call ends
// at once.
func (p *Pipeline) schedule(ctx context.Context, inv *Invocation) *result {
	ctx, cancel := p.unstarted(ctx)
	defer cancel()
	if err := inv.place.Enter(inv.work()); err != nil {
		return ended(Busy, err.Error())
	}
	if !inv.place.Granted() {
		inv.report(statusPending)
	}
	if err := inv.place.Wait(ctx); err != nil {
		return notStarted(err)
	}
	if ctx.Err() != nil { // granted and stopped at the same time: the stop wins
		return notStarted(context.Cause(ctx))
	}
	return nil
}

// place makes a call's place, nil if too many calls are nested.
func (p *Pipeline) place(inv *Invocation) *schedule.Place {
	var above *schedule.Place
	if inv.parent != nil {
		above = inv.parent.place
	}
	place, err := p.sched.Join(above, inv.request.Caller)
	if err != nil {
		return nil
	}
	return place
}

// leave gives the call's place back, unless what it has started still needs it. A nested
// call then waits until the call that it is nested in has what it gave up for it.
func (p *Pipeline) leave(inv *Invocation) {
	if inv.place != nil && !inv.keeps {
		inv.place.Leave()(p.hard)
	}
}

// work returns what the call needs of the workspace. A call that the agent works for
// needs nothing: the agent's own queue says when it may run, and what the agent does in
// the workspace is not ours to schedule, except the calls that it makes.
func (i *Invocation) work() schedule.Work {
	w := schedule.Work{Class: schedule.Write, Tool: i.tool.Name, Limit: i.tool.Concurrency}
	switch {
	case i.forAgent():
		w.Class = schedule.Pass
	case i.tool.Effects == manifest.EffectsRead:
		w.Class = schedule.Read
	case i.elsewhere():
		w.Class = schedule.Apart
		if w.Limit == 0 {
			w.Tool, w.Limit = i.tool.Source(), 1
		}
	}
	return w
}

// elsewhere reports whether what the call changes is not in the workspace: its MCP server may
// write no files here. Such writes run alone in their server, so that a server that does not
// answer holds up nobody else.
func (i *Invocation) elsewhere() bool {
	r := i.tool.Requires
	return i.tool.Bridge.MCP != nil && i.tool.External != nil && (r == nil || len(r.FSWrite) == 0)
}

// forAgent reports whether the wrapped agent executes the call.
func (i *Invocation) forAgent() bool {
	kind := i.tool.Bridge.Kind
	return i.tool.Handler == nil && (kind == manifest.BridgeAgent || kind == manifest.BridgePrompt)
}
