package sidecar

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// ExtendedCard returns the card for callers who are known: it has every tool as
// a skill (§3.1.11).
func (h *handler) ExtendedCard(context.Context, *a2a.Params) (*a2a.Card, error) {
	return h.cards.extended(), nil
}
