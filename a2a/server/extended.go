package server

import "github.com/a2a-sidecar/sidecar/a2a"

// extendedCard answers GetExtendedAgentCard (§3.1.11, §13.3): it is there for
// callers who are known, and nobody may keep it for others. It holds the members of
// the version that asks, and no others. Where the card does
// not claim one, 1.0 has a code other than for one that is not configured
// (§3.3.4); 0.3 has only that.
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
