package subagent

import (
	"context"
	"io"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// opening is the message that gives the work.
func (c *Child) opening() func(context.Context) (a2a.Stream, error) {
	root := c.start.Work.Task()
	m := a2a.Message{
		ID: a2a.NewID(), ContextID: c.start.ContextID, Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(c.start.Prompt)},
		Metadata: a2a.Metadata{delegation.URI: c.order}, Extensions: []string{delegation.URI}, ReferenceTaskIDs: []string{root.ID()},
	}
	return func(ctx context.Context) (a2a.Stream, error) {
		return c.conn.Stream(ctx, &a2a.SendRequest{Params: c.params(), Message: m})
	}
}

// params are those of every request.
func (c *Child) params() a2a.Params {
	root := c.start.Work.Task()
	p := a2a.Params{Extensions: []string{delegation.URI}, TraceParent: root.TraceParent()}
	p.Caller = root.Owner() // counts for the sidecar itself alone
	return p
}

// again follows the task anew, or looks how it is if it cannot be followed.
func (c *Child) again(ctx context.Context) (a2a.Stream, error) {
	s, err := c.conn.Subscribe(ctx, &a2a.SubscribeRequest{Params: c.params(), ID: c.Status().ID, After: c.after})
	if err == nil {
		return s, nil
	}
	t, err2 := c.look(ctx)
	if err2 != nil {
		return nil, err
	}
	return &one{event: &a2a.Event{Task: t}}, nil
}

// look returns the task as the agent has it now.
func (c *Child) look(ctx context.Context) (*a2a.Task, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	none := 0
	return c.conn.Get(ctx, &a2a.GetRequest{Params: c.params(), ID: c.Status().ID, HistoryLength: &none})
}

// one is a stream of one event.
type one struct{ event *a2a.Event }

func (o *one) Next(context.Context) ([]*a2a.Event, error) {
	if o.event == nil {
		return nil, io.EOF
	}
	e := o.event
	o.event = nil
	return []*a2a.Event{e}, nil
}

func (o *one) Close() {}

// stopRemote cancels the task at the agent.
func (c *Child) stopRemote() {
	id := c.Status().ID
	if id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), cancelLimit)
	defer cancel()
	t, err := c.conn.Cancel(ctx, &a2a.CancelRequest{Params: c.params(), ID: id})
	if err != nil {
		if t, err = c.look(ctx); err != nil || !t.Status.State.Terminal() {
			c.desk.opts.Log.Warn("a sub-agent could not be told to stop", "agent", c.agent.Name, "child", text.Line(id, maxWords), "task", c.start.Work.Task().ID(), "error", err)
			return
		}
	}
	if t.Status.State.Terminal() {
		c.outcome = tool.SubCanceled
	}
}

// used returns what the agent says that the child has used, nil if it cannot be asked.
func (c *Child) used() *delegation.Used {
	if c.conn == nil || c.Status().ID == "" || c.message {
		return &delegation.Used{}
	}
	t, err := c.look(context.WithoutCancel(c.ctx))
	if err != nil {
		return nil
	}
	n, _ := delegation.ReadNote(t.Metadata)
	return &delegation.Used{Calls: n.Calls, CostUSD: n.CostUSD + delegation.CostOf(t.Metadata)}
}
