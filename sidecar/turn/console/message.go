package console

import (
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// maxSent is how many messages are remembered, and sentBytes how many bytes of each.
const maxSent, sentBytes = 4, 4 << 10

// Submitted says that a message's Enter is about to be typed: earlier reports are
// not about this message. For a line that is one of many, message is "".
func (c *Console) Submitted(message string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	c.typed = message
	if message != "" {
		c.sent = append(c.sent[max(0, len(c.sent)-maxSent+1):len(c.sent):len(c.sent)], text.Cut(message, sentBytes))
	}
	c.detector.Submitted(now)
	c.reports = Reports{Known: c.reports.Known, Turns: c.reports.Turns}
	c.judge(now)
	c.recheck()
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
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	c.detector.Ended(s.Source, s.Rule, s.Confidence, now)
	c.judge(now)
	c.recheck()
}

// Relearn gives the agent another profile, which was learnt from it. It changes only what the
// console makes of the screen: the drivers learn of the profile in their own ways.
func (c *Console) Relearn(p *profile.Profile) {
	c.mu.Lock()
	now := c.Now()
	c.detector.Relearn(p, now)
	c.judge(now)
	c.mu.Unlock()
	c.recheck()
}

// Exited says that the agent has ended and that all its output was written.
func (c *Console) Exited() {
	c.mu.Lock()
	c.detector.Exited(c.Now())
	c.mu.Unlock()
	c.evaluate()
}
