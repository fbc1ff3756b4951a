package server

import "github.com/a2a-sidecar/sidecar/a2a"

// extendedCard answers GetExtendedAgentCard (§3.1.11, §13.3). Only authenticated callers
// get it, and no cache may keep it for others. It has the members of the version that asks,
// and no others. In 1.0 the error differs between a card that claims no extended card and
// one that claims it while it is missing (§3.3.4); 0.3 has one error for both.
func (x *exchange) extendedCard(in input) ([]byte, error) {
	if err := x.checkExtendedCard(in); err != nil {
		return nil, err
	}
	if x.s.opts.Authenticate == nil || !x.s.handler.Card().Extended {
		if x.codec.Version() == a2a.V03 {
			return nil, a2a.ErrNoExtendedCard
		}
		return nil, a2a.ErrUnsupportedOperation.With("there is no extended agent card: capabilities.extendedAgentCard is false")
	}
	card, err := x.s.handler.ExtendedCard(x.ctx, &x.params)
	if err != nil {
		return nil, err
	}
	if card == nil {
		return nil, a2a.ErrNoExtendedCard
	}
	x.w.Header()["Cache-Control"] = []string{"private, no-cache"}
	return x.s.extended.get(card, x.s.base(x.r), x.codec).Body, nil
}
