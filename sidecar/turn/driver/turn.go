package driver

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Turn is a message or a call on its way through the agent, as its driver sees it.
// Its methods are for the goroutine that runs the driver, except Ask, Say, WaitFor and
// Speaks, which any goroutine may call.
type Turn interface {
	// Task is the turn's task. The driver asks the client through it, and leaves
	// its end to the turn.
	Task() *task.Task
	// Message is the message as the agent gets it, nil for a call.
	Message() *a2a.Message
	// Text is the message in words.
	Text() string
	// Call is the tool call, nil for a message.
	Call() *Call
	// Files returns the path of each raw part of the message by its index.
	Files() map[int]string
	// Judge decides what the agent may do by its own tools in this turn.
	Judge() Judge
	// TraceParent is the W3C traceparent for the agent, "" if there is none.
	TraceParent() string

	// Ask puts a question of the agent to the client, as one over the channel, and waits for the
	// answer. The errors are those of the channel and the cause of ctx's end.
	Ask(ctx context.Context, q channel.Question) (channel.Answer, error)

	// Out takes the answer to a message.
	Out() Out
	// Over ends when the agent has said that the turn is done, in another way than
	// through the driver.
	Over() context.Context
	// Speaks reports whether the agent itself says over the channel what it is
	// doing: then its silence elsewhere means nothing.
	Speaks() bool

	// Note keeps a fact about how the turn went for the task's metadata. The value
	// is a string, a number, a boolean or a struct of these.
	Note(key string, value any)
	// Say puts a text into the status of the task, which continues; "" removes the
	// text.
	Say(text string)
	// WaitFor says what the turn waits for if only a person can end the wait, ""
	// for nothing.
	WaitFor(what string)
}

// Out takes an agent's answer as it comes. A chunk is only valid during the
// call.
type Out interface {
	Write(chunk []byte)
	// Part takes a part of the answer that is no text, at its place among the words. The part's bytes
	// belong to Out from now on.
	Part(p a2a.Part)
	// Replace replaces everything that was written with text.
	Replace(text []byte)
}
