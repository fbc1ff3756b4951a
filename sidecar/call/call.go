package call

import "context"

// call takes one invocation through the stages, in order. A stage that returns
// a result has ended the call; nil hands it to the next. Settle comes last,
// always, and once.
func (p *Pipeline) call(ctx context.Context, inv *Invocation) {
	defer inv.leave()
	p.settle(ctx, inv, p.through(ctx, inv,
		p.admit,    // the pinned snapshot: is there such a tool, is work taken
		p.validate, // arguments against the schema
		p.permit,   // rules, and an approval when they say ask
		p.schedule, // reads together, writes alone, bounded queue
		p.execute,  // the bridge
	))
}
