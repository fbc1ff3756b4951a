package sidecar

import (
	"context"

	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
)

// openWorks makes the register of the limits that the settings, and those who send work, set to what is done.
func (s *sidecar) openWorks(context.Context) error {
	c := &s.Config
	s.works = delegation.New(delegation.Options{
		Budget: delegation.NewBudget(c.Budget.Calls, c.Budget.CostUSD, c.Budget.Time), Depth: c.TaskDepth, Children: c.TaskNumber,
		Roots: s.rules.scope.Roots(),
	})
	return nil
}
