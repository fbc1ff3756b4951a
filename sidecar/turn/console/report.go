package console

import (
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// Report takes what a hook or the channel said of the agent. It drops a report about another
// message than the one that was typed, because agents may have further conversations of their
// own.
func (c *Console) Report(r channel.Report) {
	p := state.Report{
		Source: state.SourceHook, State: profile.State(r.State), Kind: r.Kind,
		Text: r.Text, Message: r.Message, ID: r.ID, Final: r.Final,
	}
	c.mu.Lock()
	concerns := c.typed == "" || spec.Concerns(r, c.typed)
	if concerns {
		if p.State != profile.Starting { // no hook reports the end of starting
			c.detector.Report(p, c.Now())
		}
		c.reports.add(p)
		if how := spec.Changed(r, c.typed); how != "" && c.typed != "" {
			c.reports.Changed = how
		}
	}
	c.mu.Unlock()
	c.Log.Debug("a hook reports", "state", string(r.State), "kind", r.Kind, "final", r.Final, "concerns", concerns)
	c.recheck()
}

// Reports is what hooks said since the last message was typed.
type Reports struct {
	Known bool   // there was ever a report
	Turns bool   // for some turn of this session, hooks reported both its start and its end
	Begun bool   // hooks reported that this turn is under way
	Text  string // the exact answer so far
	Any   bool   // Text was reported
	Final bool   // Text is complete

	Changed string // how the message that the agent got differs (spec.Changed…), "" if it does not
}

func (r *Reports) add(p state.Report) {
	r.Known = true
	r.Begun = r.Begun || p.State == profile.Working || p.State == profile.Asking
	r.Turns = r.Turns || r.Begun && p.Final
	if p.Text == "" && !p.Final {
		return
	}
	if p.Text != "" || !r.Any {
		r.Text = p.Text
	}
	r.Any = r.Any || p.Text != ""
	r.Final = p.Final
}

// Reports returns what hooks said since the last message was typed.
func (c *Console) Reports() Reports {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reports
}
