package a2atest

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// ExtendedCard is the card with one more skill.
func (f *Fake) ExtendedCard(context.Context, *a2a.Params) (*a2a.Card, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.extended == nil {
		card := *f.AgentCard
		card.Skills = append(card.Skills, a2a.Skill{ID: "extended", Name: "extended", Tags: []string{"more"}})
		f.extended = &card
	}
	return f.extended, nil
}
