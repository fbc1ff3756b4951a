package turn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// connected speaks to an agent over the connection on which it offered to take
// messages or calls.
type connected struct {
	s    *session
	conn *channel.Conn

	// flight is closed when the agent has answered what was handed to it last;
	// nil before the first. Only the turn's goroutine writes it.
	flight chan struct{}
	taskID string
}

var _ driver = (*connected)(nil)

// errLost ends a turn whose connection went away.
var errLost = errors.New("the agent closed its connection in the middle of the turn")

// Close implements driver. The connection is the agent's to close.
func (d *connected) Close() {}

// Interrupt implements driver: task/cancel, then the agent's answer.
func (d *connected) Interrupt(ctx context.Context) error {
	d.conn.Cancel(d.taskID)
	return d.Idle(ctx)
}

// Idle implements driver.
func (d *connected) Idle(ctx context.Context) error {
	if d.flight == nil {
		return nil
	}
	select {
	case <-d.flight:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// hand runs what waits for the agent's answer beside the turn, so that the turn
// can end before: by done, or because it is to stop. It reports whether the
// answer came.
func (d *connected) hand(ctx context.Context, t *turn, wait func(ctx context.Context)) bool {
	d.flight, d.taskID = make(chan struct{}), t.task.ID()
	flight := d.flight
	life, cancel := context.WithCancel(d.s.life)
	d.s.wg.Go(func() {
		defer close(flight)
		wait(life)
	})
	select {
	case <-flight:
		cancel()
		return true
	case <-t.over.Done(): // nothing more is wanted
		cancel()
	case <-ctx.Done(): // an answer that comes late still makes the agent idle
		d.s.wg.Go(func() { <-flight; cancel() })
	}
	return false
}

// Deliver implements driver.
func (d *connected) Deliver(ctx context.Context, t *turn) outcome {
	type answer struct {
		channel.Delivered
		err error
	}
	c := make(chan answer, 1)
	came := d.hand(ctx, t, func(ctx context.Context) {
		got, err := d.conn.Deliver(ctx, channel.Delivery{
			TaskID: t.task.ID(), ContextID: t.task.ContextID(), MessageID: t.msg.ID,
			Text: t.text, Parts: t.msg.Parts, Metadata: t.msg.Metadata,
			Extensions: t.msg.Extensions, ReferenceTaskIDs: t.msg.ReferenceTaskIDs,
		})
		c <- answer{got, err}
	})
	if !came {
		return completed() // done, or the end of ctx, says how
	}
	a := <-c
	if a.err != nil {
		return failed(d.reason(ctx, a.err))
	}
	o := completed()
	if a.State != "" {
		o.state = a.State
	}
	o.parts = a.Parts
	return o
}

// Call implements driver.
func (d *connected) Call(ctx context.Context, t *turn) (CallResult, error) {
	type answer struct {
		channel.ToolResult
		err error
	}
	c := make(chan answer, 1)
	came := d.hand(ctx, t, func(ctx context.Context) {
		got, err := d.conn.CallTool(ctx, channel.ToolCall{
			Name: t.call.Tool, Arguments: t.call.Arguments, CallID: t.call.ID, TaskID: t.task.ID(),
		})
		c <- answer{got, err}
	})
	if !came {
		return CallResult{}, context.Cause(ctx)
	}
	a := <-c
	if a.err != nil {
		return CallResult{}, d.reason(ctx, a.err)
	}
	out, err := (*folder)(nil).render(a.Content)
	if err != nil { // content that is neither text nor data: as JSON
		out = partsJSON(a.Content)
	}
	return CallResult{Output: []byte(out), Structured: a.StructuredContent, IsError: a.IsError}, nil
}

// partsJSON is parts as 1.0 JSON.
func partsJSON(parts []a2a.Part) string {
	return string(messageJSON(&a2a.Message{Role: a2a.RoleAgent, Parts: parts}))
}

// reason says what went wrong in words for the client. A connection that is
// lost because the agent ends is the agent's end: ctx then tells.
func (d *connected) reason(ctx context.Context, err error) error {
	if !errors.Is(err, channel.ErrLost) {
		return fmt.Errorf("the agent: %w", err)
	}
	timer := time.NewTimer(lateOutput)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return errLost
}
