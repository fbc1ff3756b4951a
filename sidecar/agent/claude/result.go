package claude

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// selfMade is the kind of turns that claude begins because a task in the background has ended.
const selfMade = "task-notification"

// result ends the turn, unless it is another's.
func (c *connection) result(m *message) {
	cost := c.spent(m)
	c.mu.Lock()
	t := c.turn
	switch {
	case c.foreign, m.Origin != nil && m.Origin.Kind == selfMade:
		c.foreign = false
		t = nil
	case t != nil:
		c.turn = nil
		t.telling.Add(1)
		defer t.telling.Done()
	}
	model, starting := c.model, !c.ready
	c.mu.Unlock()
	if t == nil {
		if starting {
			c.cannotStart(m)
		}
		return
	}
	e := peer.Ending{OK: !m.IsError, Usage: m.spent(model)}
	e.Usage.Cost = cost
	switch {
	case strings.HasPrefix(m.Ended, "aborted"):
		e.OK, e.Canceled, e.Reason = false, true, "the turn was interrupted"
	case m.IsError:
		e.Reason = m.reason()
	default:
		if !t.spoken && m.Result != "" {
			t.on.Say(m.Result)
		}
		if m.StopReason == "max_tokens" || m.StopReason == "refusal" {
			e.Reason = m.StopReason
		}
	}
	t.finish(e)
}

// spent returns what has been spent since the last result, in US dollars; nil if that is not known.
func (c *connection) spent(m *message) *float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.cost
	if m.Cost == nil {
		return nil
	}
	c.cost = m.Cost
	if before == nil {
		return nil
	}
	cost := max(0, *m.Cost-*before)
	return &cost
}
