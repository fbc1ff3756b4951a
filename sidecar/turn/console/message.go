package console

import "github.com/a2a-sidecar/sidecar/sidecar/agent/profile"

// maxSent is how many messages are remembered, and sentBytes how much of each.
const maxSent, sentBytes = 4, 4 << 10

// Submitted says that a message's Enter is about to be typed: earlier reports are
// not about this message. For a line that is one of many, text is "".
func (c *Console) Submitted(text string) {
	now := c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.typed = text
	if text != "" {
		c.sent = append(c.sent[max(0, len(c.sent)-maxSent+1):len(c.sent):len(c.sent)], text[:min(len(text), sentBytes)])
	}
	c.detector.Submitted(now)
	c.reports = Reports{Known: c.reports.Known, Turns: c.reports.Turns}
	v, _ := c.detector.Verdict(now)
	c.publish(c.seen.Screen, v)
	c.poke()
}

// Sent returns the last messages that were submitted.
func (c *Console) Sent() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent
}

// Answered says that the turn has ended: from now on reports may be about anything.
func (c *Console) Answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.typed = ""
}

// Ended says that the turn has ended, for a reason that only the driver sees.
func (c *Console) Ended(s AgentState) {
	now := c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.detector.Ended(s.Source, s.Rule, s.Confidence, now)
	v, _ := c.detector.Verdict(now)
	c.publish(c.seen.Screen, v)
	c.poke()
}

// Relearn gives the agent another profile: what was learnt of it. The drivers that know
// each other's profile tell it themselves.
func (c *Console) Relearn(p *profile.Profile) {
	now := c.Now()
	c.mu.Lock()
	c.detector.Relearn(p, now)
	v, _ := c.detector.Verdict(now)
	c.publish(c.seen.Screen, v)
	c.mu.Unlock()
	c.poke()
}

// Exited says that the agent has ended and that all its output was written.
func (c *Console) Exited() {
	now := c.Now()
	c.mu.Lock()
	c.detector.Exited(now)
	c.mu.Unlock()
	c.evaluate()
}
