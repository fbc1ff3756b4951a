package mcp

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
)

// Server is the slug of the agent in calls. No other server may have it.
const Server = "agent"

// Options configure New. The zero value is valid.
type Options struct {
	// Version is what the sidecar calls itself, "" for "dev".
	Version string
	// StartTimeout limits the handshake and the first list; 0 is the client's default.
	StartTimeout time.Duration
	// Log gets what happens. nil drops it.
	Log *slog.Logger
}

// Agent is the client of an agent that is an MCP server. Its methods may be called from many
// goroutines.
type Agent struct {
	servers *client.Servers
	list    list

	ctx  context.Context // ends with Close
	stop context.CancelFunc
	work sync.WaitGroup

	mu       sync.Mutex
	waiting  *Driver       // a process that nobody speaks to yet; nil: none
	attached chan struct{} // closed when the next one comes
}

// New returns a client without an agent. Close must follow.
func New(o Options) *Agent {
	a := &Agent{servers: client.New(client.Options{Version: o.Version, Log: o.Log}), attached: make(chan struct{})}
	a.ctx, a.stop = context.WithCancel(context.Background())
	one := client.Server{Slug: Server, Dial: a.dial, Idle: -1, StartTimeout: o.StartTimeout}
	_ = a.servers.Set([]client.Server{one}) // it is a valid one
	return a
}

// Close ends the client, and waits for it.
func (a *Agent) Close() {
	a.stop()
	a.servers.Close()
	a.work.Wait()
}

// errNone is the error of a call while no process runs.
var errNone = errors.New("the agent does not run")

// dial hands the connection to a new process to the client. Each process is spoken to once.
func (a *Agent) dial(context.Context) (sdk.Transport, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	d := a.waiting
	if d == nil {
		return nil, errNone
	}
	a.waiting = nil
	return &sdk.IOTransport{Reader: d.reader(), Writer: d.o.Input}, nil
}

// relist is how long the client is left alone before it is asked again for the list of a process
// that it could not reach.
const relist = 100 * time.Millisecond

// refresh has the client reach a process, until it has done so or the process is gone.
func (a *Agent) refresh(d *Driver) {
	ctx, cancel := context.WithCancel(a.ctx)
	defer cancel()
	defer context.AfterFunc(d.over, cancel)()
	for a.servers.Refresh(ctx) != nil && ctx.Err() == nil && a.waits(d) {
		t := time.NewTimer(relist)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
		}
	}
}

// waits reports whether nobody speaks to a process yet.
func (a *Agent) waits(d *Driver) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.waiting == d
}

// Listed waits until the agent has listed its tools, and reports whether it has; false if ctx ends
// before.
func (a *Agent) Listed(ctx context.Context) bool {
	for {
		changed := a.Changed()
		if len(a.servers.Tools()) > 0 {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// Changed returns a channel that is closed when the agent's tools may be others.
func (a *Agent) Changed() <-chan struct{} { return a.servers.Changed() }

// Call calls a tool of the agent's.
func (a *Agent) Call(ctx context.Context, c client.Call) (*client.Result, error) {
	c.Server = Server
	return a.servers.Call(ctx, c)
}
