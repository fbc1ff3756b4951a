package channel

// handle does what an agent asks for. Everything except an ask is finished before
// the next frame is read.
func (c *Conn) handle(m *message) {
	if m.method == methodAsk {
		c.startAsk(m)
		return
	}
	err := c.tell(m)
	if err != nil && m.notification() {
		c.s.log.Debug("channel notification refused", "method", m.method, "error", err)
	}
	c.link.reply(m, nothing{}, err)
}

// tell passes a statement of the agent to the owner.
func (c *Conn) tell(m *message) error {
	owner := c.grant.owner
	switch m.method {
	case methodStatus:
		var p statusParams
		if err := decode(m.params, &p); err != nil {
			return err
		}
		s, err := p.status()
		if err != nil {
			return err
		}
		return owner.Status(s)
	case methodArtifact:
		var p artifactParams
		if err := decode(m.params, &p); err != nil {
			return err
		}
		u, err := p.update()
		if err != nil {
			return err
		}
		return owner.Artifact(c.ctx, u)
	case methodDone:
		var p doneParams
		if err := decode(m.params, &p); err != nil {
			return err
		}
		d, err := p.done()
		if err != nil {
			return err
		}
		return owner.Done(d)
	case methodUsage:
		var p usageParams
		if err := decode(m.params, &p); err != nil {
			return err
		}
		u, err := p.usage()
		if err != nil {
			return err
		}
		return owner.Usage(u)
	case methodReport:
		session, ok := owner.(SessionOwner)
		if !ok {
			return ErrNotOffered.With("only a session's token may report for its agent")
		}
		var p reportParams
		if err := decode(m.params, &p); err != nil {
			return err
		}
		r, err := p.report()
		if err != nil {
			return err
		}
		return session.Report(r)
	case methodInitialize:
		return ErrInvalidRequest.With("already initialized")
	}
	return ErrMethod.With("method not found: %q", m.method)
}

// startAsk starts an ask, which runs while later frames are handled. A notification
// cannot be answered, so it asks nothing.
func (c *Conn) startAsk(m *message) {
	var p askParams
	err := decode(m.params, &p)
	if err != nil {
		c.link.reply(m, nil, err)
		return
	}
	q, err := p.ask()
	if err != nil || m.notification() {
		c.link.reply(m, nil, err)
		return
	}
	select {
	case c.slots <- struct{}{}:
	default:
		c.link.reply(m, nil, ErrBusy)
		return
	}
	c.asks.Go(func() {
		defer func() { <-c.slots }()
		a, err := c.grant.owner.Ask(c.ctx, q)
		c.link.reply(m, newAskResult(a), err)
	})
}
