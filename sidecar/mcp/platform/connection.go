package platform

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
)

// namespace is that of the platform's tools, and what its server is called.
const namespace = surface.PlatformNamespace

// connection is what one turn has of the platform. Nothing is connected before somebody asks.
type connection struct {
	p       *Platform
	server  string // its name in manifest.MCP, which no other connection has
	servers *client.Servers
	redact  redactor
	why     func(error) error // the reason of an error

	ctx    context.Context // ends with the turn
	cancel context.CancelCauseFunc
	known  atomic.Pointer[surface.Platform]
	wake   chan struct{} // somebody asks again after a failure
	first  sync.Once
	ready  chan struct{} // closed when the first attempt has ended

	mu    sync.Mutex
	tried time.Time // when the last attempt has failed; zero if it has not
}

// errEnded is the end of a turn.
var errEnded = errors.New("the turn has ended")

// asking is what is known before the platform has answered.
var asking = &surface.Platform{Absent: &surface.Absence{Reason: surface.Setup, Text: "the platform is asked for its tools"}}

func newConnection(p *Platform, server, token string) *connection {
	c := &connection{p: p, server: server, redact: newRedactor(token), wake: make(chan struct{}, 1), ready: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	c.servers = client.New(client.Options{Version: p.o.Version}) // without its log: what it logs may hold the token
	t, b := p.reach.dial(token)
	c.why = b.why
	dial := func(context.Context) (mcp.Transport, error) { return t, nil }
	err := c.servers.Set([]client.Server{{
		Slug: namespace, Platform: true, Key: server, Dial: dial, TrustAnnotations: true, Requires: &manifest.Requires{},
		StartTimeout: startTimeout, Idle: -1, MaxMessage: maxMessage,
	}})
	c.known.Store(asking)
	if err != nil {
		c.known.Store(unavailable(err))
	}
	return c
}

func unavailable(err error) *surface.Platform {
	return &surface.Platform{Absent: &surface.Absence{Reason: surface.Setup, Text: "the platform's tools are unavailable: " + err.Error()}}
}

// tools returns what is known now, and asks the platform if nobody has.
func (c *connection) tools() *surface.Platform {
	c.ask()
	return c.known.Load()
}

// ask makes the connection, or tries it again a while after a failure. It does not wait.
func (c *connection) ask() {
	c.first.Do(func() {
		c.p.mu.Lock()
		defer c.p.mu.Unlock()
		if c.p.closed || c.ctx.Err() != nil {
			close(c.ready)
			return
		}
		c.p.wg.Go(c.run)
	})
	c.mu.Lock()
	again := !c.tried.IsZero() && time.Since(c.tried) >= retryAfter
	c.mu.Unlock()
	if again {
		select {
		case c.wake <- struct{}{}:
		default: // it is told already
		}
	}
}

// wait waits for the first attempt.
func (c *connection) wait(ctx context.Context) {
	c.ask()
	select {
	case <-c.ready:
	case <-ctx.Done():
	case <-c.ctx.Done():
	}
}

// stop ends the connection. What runs is waited for by Platform.Close.
func (c *connection) stop() { c.cancel(errEnded) }

// run is the goroutine of a connection that somebody asked for.
func (c *connection) run() {
	defer c.servers.Close()
	c.list()
	close(c.ready)
	for {
		changed := c.servers.Changed()
		c.publish()
		select {
		case <-changed:
		case <-c.wake:
			c.list()
		case <-c.ctx.Done():
			return
		}
	}
}

// list asks for the tools.
func (c *connection) list() {
	err := c.servers.Refresh(c.ctx)
	c.mu.Lock()
	c.tried = time.Time{}
	if err != nil {
		c.tried = time.Now()
	}
	c.mu.Unlock()
	if err == nil || c.ctx.Err() != nil {
		c.publish()
		return
	}
	err = c.redact.error(c.why(err))
	c.p.o.Log.Warn("the platform's tools are unavailable", "error", err)
	c.show(unavailable(err))
}

// publish makes what the platform has listed last known.
func (c *connection) publish() {
	lists := c.servers.Tools()
	if len(lists) == 0 {
		return
	}
	var tools []*manifest.Tool
	left := len(lists[0].Problems)
	for _, t := range lists[0].Tools {
		if len(tools) == maxTools || c.redact.tells(t) {
			left++
			continue
		}
		own := *t
		own.Bridge.MCP = &manifest.MCP{Server: c.server, Tool: t.Bridge.MCP.Tool}
		tools = append(tools, &own)
	}
	if left > 0 && c.known.Load() == asking {
		c.p.o.Log.Warn("tools of the platform's are left out", "tools", left, "first", c.problem(lists[0]))
	}
	c.show(&surface.Platform{Tools: tools})
}

// problem returns the first problem of a list in words.
func (c *connection) problem(l *client.List) string {
	if len(l.Problems) == 0 {
		return "there are more than are kept, or they repeat the token"
	}
	return text.Shorten(text.Line(c.redact.Replace(l.Problems[0].Error()), 0), maxProblem)
}

// show makes something known, unless that is known already.
func (c *connection) show(now *surface.Platform) {
	if old := c.known.Load(); same(old, now) {
		return
	}
	c.known.Store(now)
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	c.p.tell()
}

func same(a, b *surface.Platform) bool {
	if a.Absent != nil || b.Absent != nil {
		return a.Absent != nil && b.Absent != nil && *a.Absent == *b.Absent
	}
	if len(a.Tools) != len(b.Tools) {
		return false
	}
	for i := range a.Tools {
		if a.Tools[i].Digest != b.Tools[i].Digest {
			return false
		}
	}
	return true
}

// call calls a tool; the end of the turn ends the call.
func (c *connection) call(ctx context.Context, call client.Call) (*client.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.ctx, func() { cancel(errEnded) })()
	call.Server = namespace
	if call.Listener != nil {
		call.Listener = listener{call.Listener, c.redact}
	}
	r, err := c.servers.Call(ctx, call)
	if err != nil && errors.Is(context.Cause(ctx), errEnded) {
		return nil, &failure{text: "the turn has ended before the platform has answered", err: client.ErrLost}
	}
	return c.redact.result(r), c.redact.error(err)
}
