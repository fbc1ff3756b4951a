package call

import "context"

// call takes one invocation through the stages, in order. A stage that returns a
// result has ended the call; after nil the next stage runs. settle always comes last,
// exactly once.
func (p *Pipeline) call(ctx context.Context, inv *Invocation) {
	defer inv.leave()
	p.settle(ctx, inv, p.through(ctx, inv,
		p.admit,    // does the pinned snapshot have the tool, is work taken
		p.validate, // the arguments against the schema
		p.permit,   // the rules, and an approval if they say ask
		p.schedule, // reads run together, writes alone; the queue is bounded
		p.execute,  // the bridge
	))
}
