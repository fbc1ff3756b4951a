package platform

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Options are what a Platform is made of.
type Options struct {
	// URL is the address of the platform's MCP server (see netguard.ParseSecure).
	URL string
	// Roots sign its certificate. nil: the system's.
	Roots *x509.CertPool
	// PartOf returns the task of which a call is a part, given the call's task; nil for none. It
	// must not block.
	PartOf func(call *task.Task) *task.Task
	// Version is what the sidecar calls itself.
	Version string
	// Log gets a line for each turn whose tools cannot be had. nil: none.
	Log *slog.Logger
}

// Platform is what the platform provides to the turns that run. Many goroutines may use it at
// once.
type Platform struct {
	o     Options
	reach *reach

	wg sync.WaitGroup // of connections

	mu      sync.Mutex // guards the fields below
	turns   map[*task.Task]*connection
	servers map[string]*connection
	last    int // the number of the last connection
	changed chan struct{}
	closed  bool
}

// New returns a platform without a turn. It connects to nothing yet.
func New(o Options) (*Platform, error) {
	u, ok := netguard.ParseSecure(o.URL)
	if !ok {
		return nil, errors.New("the platform's address must be https://HOST/PATH, or http:// on this machine, without a user and a fragment")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Platform{o: o, reach: &reach{url: u, roots: o.Roots}, turns: map[*task.Task]*connection{}, servers: map[string]*connection{}, changed: make(chan struct{})}, nil
}

// Begin gives the turn of a task a token; end must be called when the turn ends. It may be called
// more than once, and returns soon: a connection that was made is closed later. A task has one
// turn at a time.
func (p *Platform) Begin(t *task.Task, token string) (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return func() {}
	}
	p.last++
	c := newConnection(p, namespace+"/"+strconv.Itoa(p.last), token)
	p.turns[t], p.servers[c.server] = c, c
	p.tell()
	return sync.OnceFunc(func() { p.end(t, c) })
}

func (p *Platform) end(t *task.Task, c *connection) {
	p.mu.Lock()
	if p.turns[t] == c {
		delete(p.turns, t)
	}
	delete(p.servers, c.server)
	p.tell()
	p.mu.Unlock()
	c.stop()
}

// tell says that what For returns has changed. The caller holds the lock.
func (p *Platform) tell() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// Changed returns a channel that is closed when For may next return something else. Take the
// channel before what it concerns.
func (p *Platform) Changed() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed
}

// noTurn is what all see who work for no turn with a token.
var noTurn = &surface.Platform{Absent: &surface.Absence{
	Reason: surface.Task,
	Text:   "the platform's tools can be called only by the agent, while a turn runs whose message brought a token (metadata " + tokenKey + ")",
}}

// For implements surface.Options.Platform. The first one who works for a turn and asks makes the
// connection; the tools are there when that is ready (see Ready).
func (p *Platform) For(v surface.Viewer) *surface.Platform {
	c := p.of(v)
	if c == nil {
		return noTurn
	}
	return c.tools()
}

// Ready waits until it is known which tools a viewer has, or until ctx ends; a connection that is
// made is waited for at most startTimeout.
func (p *Platform) Ready(ctx context.Context, v surface.Viewer) {
	if c := p.of(v); c != nil {
		c.wait(ctx)
	}
}

// maxParts bounds how far a call is followed to its turn: package call nests calls less deep.
const maxParts = 32

// of returns the connection of the turn that a viewer works for, nil for none.
func (p *Platform) of(v surface.Viewer) *connection {
	if !v.Agent {
		return nil
	}
	t := v.Task
	for range maxParts {
		if t == nil {
			return nil
		}
		p.mu.Lock()
		c := p.turns[t]
		p.mu.Unlock()
		if c != nil {
			return c
		}
		t = p.o.PartOf(t)
	}
	return nil
}

// Has reports whether a server's name, as in manifest.MCP, is one of the platform's.
func Has(server string) bool { return strings.HasPrefix(server, namespace+"/") }

// Call calls a tool over the connection that it came from. The errors are those of package client.
func (p *Platform) Call(ctx context.Context, call client.Call) (*client.Result, error) {
	p.mu.Lock()
	c := p.servers[call.Server]
	p.mu.Unlock()
	if c == nil {
		return nil, fmt.Errorf("%w: the turn whose token it needs has ended", client.ErrUnavailable)
	}
	return c.call(ctx, call)
}

// Close ends all connections and waits for them.
func (p *Platform) Close() {
	p.mu.Lock()
	p.closed = true
	all := p.servers
	p.turns, p.servers = map[*task.Task]*connection{}, map[string]*connection{}
	p.mu.Unlock()
	for _, c := range all {
		c.stop()
	}
	p.wg.Wait()
}
