package call

import (
	"context"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// schedule waits for the call's turn: reads run together, writes alone. If the queue
// is full, the call ends at once.
func (p *Pipeline) schedule(ctx context.Context, inv *Invocation) *result {
	ctx, cancel := p.unstarted(ctx)
	defer cancel()
	turn, err := p.sched.enter(inv.request.Caller, inv.tool.Effects != manifest.EffectsRead, inv.release != nil)
	if err != nil {
		return ended(Busy, err.Error())
	}
	inv.turn = turn
	if inv.release != nil {
		inv.release()
		inv.release = nil
	}
	if !turn.isGranted() {
		inv.report(statusPending)
	}
	if err := turn.wait(ctx); err != nil {
		return notStarted(err)
	}
	if ctx.Err() != nil { // granted and stopped at the same time: the stop wins
		return notStarted(context.Cause(ctx))
	}
	return nil
}
