package console

import "github.com/a2a-sidecar/sidecar/proc/term"

// event takes what the agent sends in addition to its text.
func (c *Console) event(e term.Event) {
	c.mu.Lock()
	c.detector.Event(e, c.Now())
	known := e.Kind == term.EventGivenUp || e.Kind == term.EventTitle && e.Text == c.title
	if e.Kind == term.EventTitle {
		c.title = e.Text
	}
	c.mu.Unlock()
	if e.Kind == term.EventGivenUp {
		c.Log.Warn("the agent's output takes too long to draw: its screen was emptied, and a part of its text is lost", "bytes", e.Code)
	}
	if !known {
		c.Log.Debug("the agent's terminal tells", "event", eventName(e))
	}
	c.recheck()
}

// eventName returns the kind of an event without its text, which belongs to the
// agent.
func eventName(e term.Event) string {
	switch e.Kind {
	case term.EventTitle:
		return "title"
	case term.EventBell:
		return "bell"
	case term.EventStatus:
		return "status " + e.Status.State
	case term.EventMark:
		return "mark " + e.Text
	case term.EventNotify:
		return "notification"
	case term.EventProgress:
		return "progress"
	case term.EventBracketedPaste:
		return "bracketed paste"
	case term.EventAlternate:
		return "alternate screen"
	}
	return "other"
}
