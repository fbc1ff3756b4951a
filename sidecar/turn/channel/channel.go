package channel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// Driver speaks to an agent over the connection on which it offered to take
// messages or calls.
type Driver struct {
	conn *channel.Conn

	// flight is what was last handed to the agent, nil if it needs no answer any
	// more. Only the turn's goroutine writes it.
	flight flight
	taskID string
}

// flight is something that the agent has not answered yet.
type flight interface {
	Done() <-chan struct{}
	Forget()
}

var _ driver.Driver = (*Driver)(nil)

func New(c *channel.Conn) *Driver { return &Driver{conn: c} }

// endTime is how long it may take to learn of the agent's end after its connection
// has ended.
const endTime = 250 * time.Millisecond

// errLost ends a turn whose connection was lost.
var errLost = errors.New("the agent closed its connection in the middle of the turn")

// Close implements driver.Driver. It does nothing: the agent closes the connection.
func (d *Driver) Close() {}

// Interrupt implements driver.Driver: it sends task/cancel, then waits for the
// agent's answer.
func (d *Driver) Interrupt(ctx context.Context) error {
	d.conn.Cancel(d.taskID)
	return d.Idle(ctx)
}

// Idle implements driver.Driver.
func (d *Driver) Idle(ctx context.Context) error {
	if d.flight == nil {
		return nil
	}
	select {
	case <-d.flight.Done():
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// await waits for the agent's answer, and reports whether it came before the end of
// the turn, which ends by done or because it has to stop. An answer that comes
// after the end of ctx still makes the agent idle.
func (d *Driver) await(ctx context.Context, t driver.Turn, f flight) bool {
	d.flight, d.taskID = f, t.Task().ID()
	select {
	case <-f.Done():
		return true
	case <-t.Over().Done(): // nothing more is wanted
		f.Forget()
		d.flight = nil
	case <-ctx.Done():
	}
	return false
}

// Deliver implements driver.Driver.
func (d *Driver) Deliver(ctx context.Context, t driver.Turn) driver.Outcome {
	f, err := d.conn.Deliver(channel.Delivery{
		TaskID: t.Task().ID(), ContextID: t.Task().ContextID(), MessageID: t.Message().ID,
		Text: t.Text(), Parts: t.Message().Parts, Metadata: t.Message().Metadata,
		Extensions: t.Message().Extensions, ReferenceTaskIDs: t.Message().ReferenceTaskIDs, TraceParent: t.TraceParent(),
	})
	if err != nil {
		return driver.Failed(d.reason(ctx, err))
	}
	if !d.await(ctx, t, f) {
		return driver.Completed() // the done or the end of ctx says how the turn ended
	}
	a, err := f.Answer()
	if err != nil {
		return driver.Failed(d.reason(ctx, err))
	}
	o := driver.Completed()
	if a.State != "" {
		o.State = a.State
	}
	o.Parts, o.Extras = a.Parts, driver.Extras{Metadata: a.Metadata, Extensions: a.Extensions}
	return o
}

// Call implements driver.Driver.
func (d *Driver) Call(ctx context.Context, t driver.Turn) (driver.CallResult, error) {
	call := channel.ToolCall{
		Name: t.Call().Tool, Arguments: t.Call().Arguments, CallID: t.Call().ID, TaskID: t.Task().ID(), TraceParent: t.TraceParent(),
	}
	if m := t.Task().Message(); m != nil {
		call.Metadata, call.Extensions = m.Metadata, m.Extensions
	}
	f, err := d.conn.CallTool(call)
	if err != nil {
		return driver.CallResult{}, d.reason(ctx, err)
	}
	if !d.await(ctx, t, f) {
		return driver.CallResult{}, context.Cause(ctx)
	}
	a, err := f.Answer()
	if err != nil {
		return driver.CallResult{}, d.reason(ctx, err)
	}
	return driver.CallResult{Output: []byte(driver.PartsText(a.Content)), Structured: a.StructuredContent, IsError: a.IsError}, nil
}

// reason returns what went wrong, in words for the client. If the connection is
// lost because the agent ends, the agent's end is the reason, which the cause of
// ctx then tells.
func (d *Driver) reason(ctx context.Context, err error) error {
	if gone := (*driver.EndedError)(nil); errors.As(err, &gone) {
		<-ctx.Done() // it comes soon: only then does the runner see the end and its code
		return err
	}
	if !errors.Is(err, channel.ErrLost) {
		return fmt.Errorf("the agent: %w", err)
	}
	timer := time.NewTimer(endTime)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return errLost
}
