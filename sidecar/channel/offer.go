package channel

import (
	"encoding/json"
)

// Messages reports whether the agent takes messages.
func (c *Conn) Messages() bool { return c.offer.Messages }

// Tools reports whether the agent takes tool calls.
func (c *Conn) Tools() bool { return c.offer.Tools }

// Name is the name that the agent gave itself, or "" if it gave none.
func (c *Conn) Name() string { return c.name }

// Deliver sends a message to the agent, which answers later. The errors are ErrLost,
// ErrNotOffered, ErrFrame (the message is too long for the channel) and ErrBusy.
func (c *Conn) Deliver(d Delivery) (*Flight[Delivered], error) {
	if !c.offer.Messages {
		return nil, ErrNotOffered
	}
	f, err := c.link.start(methodDeliver, deliverParams{
		TaskID: d.TaskID, ContextID: d.ContextID, MessageID: d.MessageID,
		Text: d.Text, Parts: encodeParts(d.Parts), Metadata: d.Metadata,
		Extensions: d.Extensions, ReferenceTaskIDs: d.ReferenceTaskIDs, TraceParent: d.TraceParent,
	})
	if err != nil {
		return nil, err
	}
	return &Flight[Delivered]{f, decodeDelivered}, nil
}

func decodeDelivered(raw json.RawMessage) (Delivered, error) {
	var r deliverResult
	if err := decode(raw, &r); err != nil {
		return Delivered{}, err
	}
	return r.delivered()
}

// Flight is a message or tool call that was sent to the agent and is not answered
// yet.
type Flight[T any] struct {
	f    *flight
	read func(json.RawMessage) (T, error)
}

// Done is closed when the agent has answered, or when no answer can come any more.
func (f *Flight[T]) Done() <-chan struct{} { return f.f.done }

// Answer returns the agent's answer once Done is closed. The error is ErrLost or an
// *Error: the agent's own, or one about its answer.
func (f *Flight[T]) Answer() (T, error) {
	raw, err := f.f.result()
	if err != nil {
		var none T
		return none, err
	}
	return f.read(raw)
}

// Forget tells that the answer is not wanted any more. Done may never be closed
// after that.
func (f *Flight[T]) Forget() { f.f.forget() }

// CallTool sends a tool call to the agent. The errors are those of Deliver.
func (c *Conn) CallTool(t ToolCall) (*Flight[ToolResult], error) {
	if !c.offer.Tools {
		return nil, ErrNotOffered
	}
	if t.Arguments == nil {
		t.Arguments = json.RawMessage("{}")
	}
	f, err := c.link.start(methodCall, callParams{
		Name: t.Name, Arguments: t.Arguments, Meta: callMeta{
			CallID: t.CallID, TaskID: t.TaskID, TraceParent: t.TraceParent, extras: extras{t.Metadata, t.Extensions},
		},
	})
	if err != nil {
		return nil, err
	}
	return &Flight[ToolResult]{f, decodeResult}, nil
}

// Cancel tells the agent to stop the task. It does not wait, and fails only if the
// connection does.
func (c *Conn) Cancel(taskID string) {
	if err := c.link.notify(methodCancel, cancelParams{TaskID: taskID}); err != nil {
		c.s.log.Debug("cancel not delivered", "task", taskID, "error", err)
	}
}

// Close ends the connection; the owner's Lost is called after that. Close does not
// wait.
func (c *Conn) Close() { c.link.kill() }
