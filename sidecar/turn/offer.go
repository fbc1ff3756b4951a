package turn

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	channeldriver "github.com/a2a-sidecar/sidecar/sidecar/turn/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

var _ channel.SessionOwner = (*session)(nil)

// Offered implements channel.SessionOwner.
func (s *session) Offered(c *channel.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		close(s.offered)
	}
	s.conn = c
}

// Lost implements channel.SessionOwner.
func (s *session) Lost(c *channel.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == c {
		s.conn, s.offered = nil, make(chan struct{})
	}
}

// Listed implements channel.SessionOwner.
func (s *session) Listed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.has {
		s.has = true
		close(s.listed)
	}
}

// Report implements channel.SessionOwner.
func (s *session) Report(r channel.Report) error {
	s.r.watch(r, s.breakOff)
	s.mu.Lock()
	opened := s.opened
	s.mu.Unlock()
	if opened { // if not, the process has only just been started
		s.body.report(r)
	}
	return nil
}

// turn returns the turn that the agent speaks for.
func (s *session) turn() (*turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cur == nil {
		return nil, channel.ErrEnded.With("no turn is under way")
	}
	return s.cur, nil
}

// Status implements channel.Owner.
func (s *session) Status(st channel.Status) error {
	t, err := s.turn()
	if err != nil {
		return err
	}
	return t.Status(st)
}

// Artifact implements channel.Owner.
func (s *session) Artifact(ctx context.Context, u a2a.ArtifactUpdate) error {
	t, err := s.turn()
	if err != nil {
		return err
	}
	return t.Artifact(ctx, u)
}

// Ask implements channel.Owner.
func (s *session) Ask(ctx context.Context, q channel.Question) (channel.Answer, error) {
	t, err := s.turn()
	if err != nil {
		return channel.Answer{}, err
	}
	return t.Ask(ctx, q)
}

// Done implements channel.Owner.
func (s *session) Done(d channel.Done) error {
	t, err := s.turn()
	if err != nil {
		return err
	}
	return t.Done(d)
}

// Usage implements channel.Owner.
func (s *session) Usage(u channel.Usage) error {
	t, err := s.turn()
	if err != nil {
		return err
	}
	return t.Usage(u)
}

// picker chooses the driver for a turn, once the agent can be spoken to.
type picker func(ctx context.Context, s *session) (driver.Driver, error)

// pickMessages chooses the driver for a message.
func pickMessages(ctx context.Context, s *session) (d driver.Driver, err error) {
	if s.r.o.Deliver == DeliverTerminal {
		d, err = s.body.agent(), s.ready(ctx, nil)
	} else {
		d, err = s.pick(ctx, "messages", (*channel.Conn).Messages)
	}
	if err == nil && d == driver.Driver(s.body.agent()) {
		err = s.untilListed(ctx)
	}
	return d, err
}

// untilListed waits until a governed agent has the list of our tools, if it asks for it at its start, for at most
// ReadyTimeout: without it, it has no tools for this message.
func (s *session) untilListed(ctx context.Context) error {
	g := s.r.governing
	if g == nil || !slices.Contains(g.recipe.ListsFirst, g.mode) {
		return nil
	}
	timer := time.NewTimer(s.r.o.ReadyTimeout)
	defer timer.Stop()
	select {
	case <-s.listed:
	case <-timer.C:
		s.log.Warn("the agent has not asked for its tools: its model may be offered none in this turn", "waited", s.r.o.ReadyTimeout.String())
		s.Listed()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// pickTools chooses the driver for a call.
func pickTools(ctx context.Context, s *session) (driver.Driver, error) {
	return s.pick(ctx, "tool calls", (*channel.Conn).Tools)
}

// pick waits for the agent's offer, or for its terminal: for those that --deliver
// allows, until the first of them comes. An offer that has come is preferred.
func (s *session) pick(ctx context.Context, what string, takes func(*channel.Conn) bool) (driver.Driver, error) {
	conn, offered := s.connection()
	if conn == nil {
		if err := s.await(ctx, offered); err != nil {
			return nil, err
		}
		conn, _ = s.connection()
	}
	switch {
	case conn != nil && takes(conn):
		return channeldriver.New(conn), nil
	case s.r.o.Deliver == DeliverChannel:
		return nil, fmt.Errorf("the agent has not offered over the channel to take %s, and --deliver channel allows no other way", what)
	case conn != nil: // the terminal was not waited for
		return s.body.agent(), s.ready(ctx, nil)
	}
	return s.body.agent(), nil
}

// await waits for the offer, or also for the terminal if that is allowed.
func (s *session) await(ctx context.Context, offered <-chan struct{}) error {
	if s.r.o.Deliver != DeliverChannel {
		return s.ready(ctx, offered)
	}
	timer := time.NewTimer(s.r.o.ReadyTimeout)
	defer timer.Stop()
	select {
	case <-offered:
	case <-timer.C: // pick reports what is missing
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// ready waits until the terminal can be typed to, or until the channel or is
// closed, for at most ReadyTimeout.
func (s *session) ready(ctx context.Context, or <-chan struct{}) error {
	s.mu.Lock()
	t := s.cur
	s.mu.Unlock()
	return s.body.agent().Ready(ctx, or, s.r.o.ReadyTimeout, t.WaitFor)
}

// connection returns the connection that offers something, nil if there is none,
// and a channel that is closed when there is one.
func (s *session) connection() (*channel.Conn, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn, s.offered
}
