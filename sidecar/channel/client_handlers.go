package channel

import (
	"context"
	"time"
)

// handle does what the sidecar asks for, or starts it. It reports whether the
// calling goroutine is still the reader.
func (c *Client) handle(m *message) bool {
	switch {
	case m.method == methodCancel:
		var p cancelParams
		err := decode(m.params, &p)
		if err == nil {
			c.cancelTask(p.TaskID)
		}
		c.link.reply(m, nothing{}, err)
	case m.method == methodToolsChanged:
		c.toolsChanged()
		c.link.reply(m, nothing{}, nil)
	case m.method == methodProgress:
		c.progress(m)
	case m.method == methodDeliver && c.offer.OnDeliver != nil:
		var p deliverParams
		err := decode(m.params, &p)
		answer := c.start(m, p.TaskID, err, func(ctx context.Context) (any, error) { return c.deliver(ctx, &p) })
		if c.prompt.Load() {
			return c.stay(answer)
		}
		c.handler.Go(answer)
	case m.method == methodCall && c.offer.OnCall != nil:
		var p callParams
		err := decode(m.params, &p)
		c.handler.Go(c.start(m, p.Meta.TaskID, err, func(ctx context.Context) (any, error) { return c.call(ctx, &p) }))
	default:
		c.link.reply(m, nil, ErrMethod.With("method not found: %q", m.method))
	}
	return true
}

// start registers a handler's run for a task, so that it can be canceled. It returns
// a function that runs the handler and replies with its result.
func (c *Client) start(m *message, taskID string, fault error, run func(context.Context) (any, error)) (answer func()) {
	if fault != nil {
		return func() { c.link.reply(m, nil, fault) }
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	c.mu.Lock()
	if c.running[taskID] == nil {
		c.running[taskID] = make(map[*context.CancelCauseFunc]struct{})
	}
	c.running[taskID][&cancel] = struct{}{}
	c.mu.Unlock()
	return func() {
		result, err := run(ctx)
		c.mu.Lock()
		if delete(c.running[taskID], &cancel); len(c.running[taskID]) == 0 {
			delete(c.running, taskID)
		}
		c.mu.Unlock()
		cancel(nil)
		c.link.reply(m, result, err)
	}
}

func (c *Client) cancelTask(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for cancel := range c.running[id] {
		(*cancel)(ErrCanceled)
	}
}

func (c *Client) deliver(ctx context.Context, p *deliverParams) (any, error) {
	parts, err := decodeParts("parts", p.Parts)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	d, err := c.offer.OnDeliver(ctx, Delivery{
		TaskID: p.TaskID, ContextID: p.ContextID, MessageID: p.MessageID,
		Text: p.Text, Parts: parts, Metadata: p.Metadata,
		Extensions: p.Extensions, ReferenceTaskIDs: p.ReferenceTaskIDs, TraceParent: p.TraceParent,
	})
	c.prompt.Store(time.Since(began) < promptTime)
	return deliverResult{State: string(d.State), Parts: encodeParts(d.Parts), extras: extras{d.Metadata, d.Extensions}}, err
}

func (c *Client) call(ctx context.Context, p *callParams) (any, error) {
	r, err := c.offer.OnCall(ctx, ToolCall{
		Name: p.Name, Arguments: p.Arguments, CallID: p.Meta.CallID, TaskID: p.Meta.TaskID, TraceParent: p.Meta.TraceParent,
		Metadata: p.Meta.Metadata, Extensions: p.Meta.Extensions,
	})
	if err != nil {
		return nil, err
	}
	return encodeResult(r)
}
