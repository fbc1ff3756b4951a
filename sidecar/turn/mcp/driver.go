package mcp

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// Process is one process of the agent. All fields must be set.
type Process struct {
	// Input is its standard input.
	Input io.WriteCloser
	// Stop ends it, and may take as long as that takes.
	Stop func()
}

// Driver speaks to one process of the agent.
type Driver struct {
	a    *Agent
	o    Process
	out  *io.PipeReader
	in   *io.PipeWriter
	over context.Context // ends with Close
	end  context.CancelFunc
}

var _ driver.Live = (*Driver)(nil)

// Attach returns the driver of a process that was just started.
func (a *Agent) Attach(o Process) *Driver {
	d := &Driver{a: a, o: o}
	d.out, d.in = io.Pipe()
	d.over, d.end = context.WithCancel(a.ctx)
	a.mu.Lock()
	a.waiting = d
	a.mu.Unlock()
	a.work.Go(func() { a.refresh(d) })
	return d
}

// ErrMessage says why a message is refused.
var ErrMessage = errors.New("the agent is an MCP server, which takes calls of tools and no messages; call a tool")

// Deliver implements driver.Driver: it refuses the message.
func (d *Driver) Deliver(context.Context, driver.Turn) driver.Outcome {
	return driver.Failed(ErrMessage)
}

// Output implements driver.Live. It waits until the client has read the chunk.
func (d *Driver) Output(chunk []byte) { _, _ = d.in.Write(chunk) } // the client has gone, or reads it

// Ready implements driver.Live: calls wait for the agent themselves.
func (d *Driver) Ready(context.Context, <-chan struct{}, time.Duration, func(string)) error {
	return nil
}

// Interrupt implements driver.Driver: the end of a call's context has been told to the agent.
func (d *Driver) Interrupt(context.Context) error { return nil }

// Idle implements driver.Driver.
func (d *Driver) Idle(context.Context) error { return nil }

// Close implements driver.Driver.
func (d *Driver) Close() {
	_ = d.in.CloseWithError(errors.New("the agent has ended")) // never fails
	d.end()
	d.a.mu.Lock()
	defer d.a.mu.Unlock()
	if d.a.waiting == d {
		d.a.waiting = nil
	}
}

// reader returns what the client reads.
func (d *Driver) reader() io.ReadCloser { return connection{d} }

// connection is the client's end of a process's standard output.
type connection struct{ d *Driver }

// Read implements io.Reader.
func (c connection) Read(p []byte) (int, error) { return c.d.out.Read(p) }

// Close implements io.Closer: nobody will speak to the process any more, so it ends.
func (c connection) Close() error {
	err := c.d.out.Close()
	if c.d.over.Err() == nil {
		c.d.a.work.Go(c.d.o.Stop)
	}
	return err
}
