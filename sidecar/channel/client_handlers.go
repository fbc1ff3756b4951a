package channel

import "context"

// read takes what the sidecar sends until the connection ends.
func (c *Client) read() {
	defer c.cancel(ErrLost)
	defer c.link.abandon()
	defer c.link.kill()
	frames := newFrameReader(c.link.nc)
	for {
		frame, err := frames.next()
		if err != nil {
			return
		}
		m, fault := parseMessage(frame)
		switch {
		case fault != nil:
			c.link.refuse(m, fault)
		case m.method == "":
			c.link.settle(m)
		default:
			c.handle(m)
		}
	}
}

// handle starts what the sidecar asks for. It does not block.
func (c *Client) handle(m *message) {
	switch {
	case m.method == methodCancel:
		var p cancelParams
		err := decode(m.params, &p)
		if err == nil {
			c.cancelTask(p.TaskID)
		}
		c.link.reply(m, nothing{}, err)
	case m.method == methodDeliver && c.offer.OnDeliver != nil:
		var p deliverParams
		err := decode(m.params, &p)
		c.start(m, p.TaskID, err, func(ctx context.Context) (any, error) { return c.deliver(ctx, &p) })
	case m.method == methodCall && c.offer.OnCall != nil:
		var p callParams
		err := decode(m.params, &p)
		c.start(m, p.Meta.TaskID, err, func(ctx context.Context) (any, error) { return c.call(ctx, &p) })
	default:
		c.link.reply(m, nil, ErrMethod.With("method not found: %q", m.method))
	}
}

// start runs a handler for a task and answers with what it returns.
func (c *Client) start(m *message, taskID string, fault error, run func(context.Context) (any, error)) {
	if fault != nil {
		c.link.reply(m, nil, fault)
		return
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	c.mu.Lock()
	if c.running[taskID] == nil {
		c.running[taskID] = make(map[*context.CancelCauseFunc]struct{})
	}
	c.running[taskID][&cancel] = struct{}{}
	c.mu.Unlock()
	c.handler.Go(func() {
		result, err := run(ctx)
		c.mu.Lock()
		if delete(c.running[taskID], &cancel); len(c.running[taskID]) == 0 {
			delete(c.running, taskID)
		}
		c.mu.Unlock()
		cancel(nil)
		c.link.reply(m, result, err)
	})
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
	d, err := c.offer.OnDeliver(ctx, Delivery{
		TaskID: p.TaskID, ContextID: p.ContextID, MessageID: p.MessageID,
		Text: p.Text, Parts: parts, Metadata: p.Metadata,
		Extensions: p.Extensions, ReferenceTaskIDs: p.ReferenceTaskIDs, TraceParent: p.TraceParent,
	})
	return deliverResult{State: string(d.State), Parts: encodeParts(d.Parts)}, err
}

func (c *Client) call(ctx context.Context, p *callParams) (any, error) {
	r, err := c.offer.OnCall(ctx, ToolCall{
		Name: p.Name, Arguments: p.Arguments, CallID: p.Meta.CallID, TaskID: p.Meta.TaskID, TraceParent: p.Meta.TraceParent,
	})
	if err != nil {
		return nil, err
	}
	return encodeResult(r)
}
