package opencode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// startTime is how long the server may take until it has read its configuration: it takes seconds, and
// more than a minute where there is no network and the project has plugins.
const startTime = 3 * time.Minute

// conn speaks to one process of `opencode serve`: over HTTP, and one stream of the events of all its
// sessions.
type conn struct {
	process peer.Process
	listens *listener

	ctx  context.Context // of everything that goes on in the background; ends with Close
	end  context.CancelCauseFunc
	work sync.WaitGroup // everything that goes on in the background

	strays chan struct{} // has a token for each request that is answered in nobody's name

	// server and offer are set by Start and not changed afterwards.
	server *api
	offer  offer

	mu      sync.Mutex
	closed  bool
	about   peer.About
	turns   map[string]*turn  // by session
	parents map[string]string // of the sessions of subagents
}

var _ peer.Peer = (*conn)(nil)

// connect returns our end of the connection to a server.
func connect(p peer.Process) peer.Peer {
	c := &conn{
		process: p, listens: newListener(), strays: make(chan struct{}, maxStrays),
		turns: map[string]*turn{}, parents: map[string]string{},
	}
	c.ctx, c.end = context.WithCancelCause(context.Background())
	return c
}

// Output implements peer.Peer.
func (c *conn) Output(chunk []byte) { c.listens.output(chunk) }

// About implements peer.Peer.
func (c *conn) About() peer.About {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.about
}

// errStart is the error of a start that took longer than startTime.
var errStart = fmt.Errorf("it was not ready within %v", startTime)

// Start implements peer.Peer.
func (c *conn) Start(ctx context.Context) error {
	ctx, stop := c.within(ctx)
	defer stop()
	ctx, cancel := context.WithTimeoutCause(ctx, startTime, errStart)
	defer cancel()
	if err := c.start(ctx); err != nil {
		return fmt.Errorf("opencode's server cannot be used: %w", err)
	}
	return nil
}

func (c *conn) start(ctx context.Context) error {
	where, err := c.listens.wait(ctx)
	if err != nil {
		return err
	}
	user, password := credentials(c.process.Env)
	if err := checkGuarded(ctx, where); err != nil {
		return err
	}
	c.server = newAPI(where, user, password)
	var health struct {
		Version string `json:"version"`
	}
	if err := c.server.callSlow(ctx, http.MethodGet, "/global/health", nil, &health); err != nil {
		return err
	}
	offer, err := c.server.catalog(ctx)
	if err != nil {
		return err
	}
	if err := offer.choose(c.process.Options); err != nil {
		return err
	}
	c.offer = offer
	if err := c.follow(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.about = peer.About{
		Name: "opencode", Version: health.Version, Protocol: "opencode server", Resumes: true, Options: offer.choices(),
	}
	return nil
}

// checkGuarded fails if the server lets somebody in who has no password.
func checkGuarded(ctx context.Context, where string) error {
	stranger := newAPI(where, "", "")
	defer stranger.close()
	err := stranger.callSlow(ctx, http.MethodGet, "/global/health", nil, nil)
	switch {
	case err == nil:
		return errors.New("it asks for no password, so that anybody on this machine could use it: a later version does (1.18.33 is known to)")
	case refused(err, http.StatusUnauthorized, http.StatusForbidden):
		return nil
	}
	return err
}

// follow begins to read the events, and returns when the server sends them.
func (c *conn) follow(ctx context.Context) error {
	ready := make(chan struct{}, 1)
	refusal := make(chan error, 1)
	s := &stream{api: c.server, connected: func() func([]byte) {
		return func(data []byte) {
			if c.event(data) {
				select {
				case ready <- struct{}{}:
				default:
				}
			}
		}
	}}
	c.spawn(func() {
		if err := s.run(c.ctx); err != nil {
			refusal <- err
			c.end(err)
		}
	})
	select {
	case <-ready:
		return nil
	case err := <-refusal:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// within returns a context that ends with c, too.
func (c *conn) within(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(c.ctx, func() { cancel(context.Cause(c.ctx)) })
	return ctx, func() { stop(); cancel(nil) }
}

// spawn runs f in the background, unless c is closed.
func (c *conn) spawn(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.work.Go(f)
	}
}

// Close implements peer.Peer.
func (c *conn) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end(peer.ErrClosed)
	c.work.Wait()
	if c.server != nil {
		c.server.close()
	}
}

// Cancel implements peer.Peer.
func (c *conn) Cancel(conversation string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.turns[conversation]; t != nil {
		t.cancel()
	}
}

// event takes an event of the server, nil for one that was too long, and reports whether the stream
// has just begun.
func (c *conn) event(data []byte) (begun bool) {
	var e event
	if data == nil {
		c.process.Log.Warn("an event of the agent's is longer than is read", "limit", maxEvent)
		c.missed()
		return false
	}
	if json.Unmarshal(data, &e) != nil {
		c.process.Log.Debug("the agent's server sent an event that cannot be read", "bytes", len(data))
		return false
	}
	switch e.Type {
	case "server.connected":
		c.missed()
		return true
	case "session.created", "session.updated":
		c.adopt(e.Properties.Info)
	default:
		c.route(&e, len(data))
	}
	return false
}

// missed tells every turn that events were lost.
func (c *conn) missed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.turns {
		t.inbox.miss()
	}
}
