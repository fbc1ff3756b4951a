package driver

import (
	"context"
	"time"
)

// Driver speaks to one agent in one way. Deliver and Call never run at the same
// time on one driver.
type Driver interface {
	// Deliver hands the turn's message over, passes the answer to the turn's Out
	// as it comes, and returns when the agent has answered, has said done, or ctx
	// has ended. It does not stop the agent when ctx ends, unless the agent is
	// only there for this turn.
	Deliver(ctx context.Context, t Turn) Outcome
	// Call does the same for a tool call.
	Call(ctx context.Context, t Turn) (CallResult, error)
	// Interrupt asks the agent to stop what it does, and returns nil when it is
	// idle, or the cause of ctx's end.
	Interrupt(ctx context.Context) error
	// Idle waits until the agent does nothing any more.
	Idle(ctx context.Context) error
	// Close releases what the driver holds. The agent goes on.
	Close()
}

// Live is a driver that speaks through the process's own terminal or pipes: it
// reads everything that the agent writes, for as long as the agent lives.
type Live interface {
	Driver
	// Output takes what the agent wrote. It may wait for a turn that reads it.
	Output(chunk []byte)
	// Ready waits until the agent takes a message or until the channel or is
	// closed, but at most limit: then the error says what is in the way. waits is
	// told what the turn waits for if only a person can end the wait, and "" when
	// that is over.
	Ready(ctx context.Context, or <-chan struct{}, limit time.Duration, waits func(what string)) error
}
