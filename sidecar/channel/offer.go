package channel

import (
	"context"
	"encoding/json"
)

// Messages reports whether the agent takes messages.
func (c *Conn) Messages() bool { return c.offer.Messages }

// Tools reports whether the agent takes tool calls.
func (c *Conn) Tools() bool { return c.offer.Tools }

// Name is what the agent called itself, "" for nothing.
func (c *Conn) Name() string { return c.name }

// Deliver hands a message to the agent and waits for its answer. When ctx ends
// the agent is not told: Cancel does that. Errors: ErrLost, ErrNotOffered,
// ErrFrame (the message is too long for the channel), ErrBusy, the cause of
// ctx's end, or an *Error: the agent's, or about its answer.
func (c *Conn) Deliver(ctx context.Context, d Delivery) (Delivered, error) {
	if !c.offer.Messages {
		return Delivered{}, ErrNotOffered
	}
	raw, err := c.link.call(ctx, methodDeliver, deliverParams{
		TaskID: d.TaskID, ContextID: d.ContextID, MessageID: d.MessageID,
		Text: d.Text, Parts: encodeParts(d.Parts), Metadata: d.Metadata,
		Extensions: d.Extensions, ReferenceTaskIDs: d.ReferenceTaskIDs,
	})
	if err != nil {
		return Delivered{}, err
	}
	var r deliverResult
	if err := decode(raw, &r); err != nil {
		return Delivered{}, err
	}
	return r.delivered()
}

// CallTool hands a tool call to the agent and waits for its result; errors as
// Deliver's.
func (c *Conn) CallTool(ctx context.Context, t ToolCall) (ToolResult, error) {
	if !c.offer.Tools {
		return ToolResult{}, ErrNotOffered
	}
	if t.Arguments == nil {
		t.Arguments = json.RawMessage("{}")
	}
	raw, err := c.link.call(ctx, methodCall, callParams{
		Name: t.Name, Arguments: t.Arguments, Meta: callMeta{CallID: t.CallID, TaskID: t.TaskID},
	})
	if err != nil {
		return ToolResult{}, err
	}
	return decodeResult(raw)
}

// Cancel tells the agent that the task is to stop. It does not wait, and fails
// only with the connection.
func (c *Conn) Cancel(taskID string) {
	if err := c.link.notify(methodCancel, cancelParams{TaskID: taskID}); err != nil {
		c.s.log.Debug("cancel not delivered", "task", taskID, "error", err)
	}
}

// Close ends the connection; Lost follows. It does not wait.
func (c *Conn) Close() { c.link.kill() }
