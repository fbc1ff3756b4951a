package a2a_test

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// ExtendedCard is the card with one more skill.
func (f *fake) ExtendedCard(context.Context, *a2a.Params) (*a2a.Card, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.extended == nil {
		card := *f.card
		card.Skills = append(card.Skills, a2a.Skill{ID: "extended", Name: "extended", Tags: []string{"more"}})
		f.extended = &card
	}
	return f.extended, nil
}
