package driver

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Turn is a message or a call on its way through the agent, as its driver sees
// it. Its methods are for the goroutine that runs the driver, except Say, WaitFor
// and Speaks, which any may call.
type Turn interface {
	// Task is what the turn is for. The driver asks its client through it, and
	// leaves its end to the turn.
	Task() *task.Task
	// Message is the message as the agent gets it, nil for a call.
	Message() *a2a.Message
	// Text is the message in words.
	Text() string
	// Call is the tool call, nil for a message.
	Call() *Call
	// TraceParent is the W3C traceparent for the agent, "" for none.
	TraceParent() string

	// Out takes the answer to a message.
	Out() Out
	// Over ends when the agent has said, in another way than by the driver, that
	// the turn is done.
	Over() context.Context
	// Speaks reports whether the agent says by itself over the channel what it
	// does: its silence elsewhere then means nothing.
	Speaks() bool

	// Note keeps something worth knowing of how the turn went for the task's
	// metadata. The value is a string, a number, a boolean or a struct of these.
	Note(key string, value any)
	// Say puts a text into the status of the task, which goes on; "" removes it.
	Say(text string)
	// WaitFor says what the turn waits for that only a person can end, "" for
	// nothing.
	WaitFor(what string)
}

// Out takes an agent's answer as it comes. A chunk is only valid during the
// call.
type Out interface {
	Write(chunk []byte)
	// Replace puts text in the place of everything that was written.
	Replace(text []byte)
}
