package stream

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// Options configure New. Peer, Conversations and Log must be set.
type Options struct {
	// Peer speaks to the process. The driver closes it.
	Peer peer.Peer
	// Conversations are those of all processes of the agent.
	Conversations *Conversations
	// Tools is an MCP server that the agent is to use in each conversation; nil: none, or it has it already.
	Tools *peer.Server
	// ToolPrompt puts calls in words; "" means a line of JSON.
	ToolPrompt string
	// Closed is closed when nothing can come of the process any more although it lives on; nil: nobody
	// tells.
	Closed <-chan struct{}
	// Used is told the agent's own name of each tool that it has used, ours among them; nil: nobody is.
	Used func(tool string)
	// Log gets what happens.
	Log *slog.Logger
}

// Driver speaks to one process of an agent.
type Driver struct {
	o Options

	// life ends with Close.
	life context.Context
	end  context.CancelCauseFunc

	started  chan struct{} // closed when Peer.Start has returned
	startErr error         // written before that

	mu     sync.Mutex
	work   sync.WaitGroup // counts the goroutines of the driver; added to only while it is not closed
	closed bool
	last   *run // the newest one; nil: there was none

	open openConversations // belongs to the run that has not ended
}

var _ driver.Live = (*Driver)(nil)

// New returns a driver for a process that was just started, and begins to make the connection ready.
// Close must follow.
func New(o Options) *Driver {
	d := &Driver{o: o, started: make(chan struct{})}
	d.life, d.end = context.WithCancelCause(context.Background()) // the process's own time: no caller's
	d.spawn(func() {
		defer close(d.started)
		d.startErr = o.Peer.Start(d.life)
	})
	return d
}

// spawn runs f on a goroutine that Close waits for. It returns false after Close.
func (d *Driver) spawn(f func()) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.work.Go(f)
	}
	return !d.closed
}

// About returns what the agent says of itself; before it has, the zero value. It may be called from any
// goroutine.
func (d *Driver) About() peer.About { return d.o.Peer.About() }

// Output implements driver.Live.
func (d *Driver) Output(chunk []byte) { d.o.Peer.Output(chunk) }

// Ready implements driver.Live: it waits until the connection is ready, and until the agent has ended
// the turn before.
func (d *Driver) Ready(ctx context.Context, or <-chan struct{}, limit time.Duration, _ func(string)) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for _, step := range []struct {
		done    <-chan struct{}
		missing string
	}{
		{d.started, "the agent has not answered within %s: does it speak what --mode says?"},
		{d.idle(), "the agent has not ended the turn before this one within %s"},
	} {
		select {
		case <-step.done:
		case <-or:
			return nil
		case <-timer.C:
			return fmt.Errorf(step.missing, limit)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return d.startErr
}

// ready waits without a limit for what Ready waits for.
func (d *Driver) ready(ctx context.Context) error {
	for _, done := range []<-chan struct{}{d.started, d.idle()} {
		select {
		case <-done:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-d.life.Done():
			return context.Cause(d.life)
		}
	}
	return d.startErr
}

// idle returns a channel that is closed when the newest prompt has returned.
func (d *Driver) idle() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last == nil {
		return d.started // nothing was asked of the agent yet
	}
	return d.last.ended
}

// Interrupt implements driver.Driver. A turn that was stopped has usually told the agent so; it is idle when
// the turn's prompt has returned.
func (d *Driver) Interrupt(ctx context.Context) error {
	d.mu.Lock()
	last := d.last
	d.mu.Unlock()
	if last != nil {
		d.cancel(last)
	}
	return d.Idle(ctx)
}

// Idle implements driver.Driver.
func (d *Driver) Idle(ctx context.Context) error {
	d.mu.Lock()
	last := d.last
	d.mu.Unlock()
	if last == nil {
		return nil
	}
	select {
	case <-last.ended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close implements driver.Driver. It fails the turn that runs.
func (d *Driver) Close() {
	d.mu.Lock()
	was := d.closed
	d.closed = true
	d.mu.Unlock()
	if !was {
		d.end(peer.ErrClosed)
		d.o.Peer.Close()
	}
	d.work.Wait()
}
