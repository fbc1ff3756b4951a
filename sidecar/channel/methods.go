package channel

import "github.com/a2a-sidecar/sidecar/a2a"

// handle does what an agent asks for. Everything except an ask and a call is finished
// before the next frame is read.
func (c *Conn) handle(m *message) {
	switch m.method {
	case methodAsk:
		c.startAsk(m)
		return
	case methodCall:
		c.startCall(m)
		return
	case methodListTools, methodSearchTools, methodLoadTools:
		c.askTools(m)
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
		return receive(m, (*statusParams).status, owner.Status)
	case methodArtifact:
		return receive(m, (*artifactParams).update, func(u a2a.ArtifactUpdate) error { return owner.Artifact(c.ctx, u) })
	case methodDone:
		return receive(m, (*doneParams).done, owner.Done)
	case methodUsage:
		return receive(m, (*usageParams).usage, owner.Usage)
	case methodReport:
		hears, ok := owner.(Reporter)
		if !ok {
			return ErrNoReports
		}
		return receive(m, (*reportParams).report, hears.Report)
	case methodListed:
		if o, ok := owner.(SessionOwner); ok {
			o.Listed()
		}
		return nil
	case methodCancelCall:
		return c.cancelCall(m)
	case methodAnswer:
		return c.answerCall(m)
	case methodInitialize:
		return ErrInvalidRequest.With("already initialized")
	}
	return ErrMethod.With("method not found: %q", m.method)
}

// receive decodes a message's params, reads the value that they state and passes it on.
func receive[P, V any](m *message, read func(*P) (V, error), pass func(V) error) error {
	var p P
	if err := decode(m.params, &p); err != nil {
		return err
	}
	v, err := read(&p)
	if err != nil {
		return err
	}
	return pass(v)
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
	c.beside.Go(func() {
		defer func() { <-c.slots }()
		a, err := c.grant.owner.Ask(c.ctx, q)
		c.link.reply(m, newAskResult(a), err)
	})
}
