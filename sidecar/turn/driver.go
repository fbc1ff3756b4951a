package turn

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// driver is one way of speaking to an agent. Deliver and Call are never under
// way together on one driver.
type driver interface {
	// Deliver hands the turn's message over, passes the answer to t.out as it
	// comes, and returns when the agent has answered, has said done, or ctx has
	// ended. It does not stop the agent when ctx ends, unless the agent is only
	// there for this turn.
	Deliver(ctx context.Context, t *turn) outcome
	// Call does the same for a tool call.
	Call(ctx context.Context, t *turn) (CallResult, error)
	// Interrupt asks the agent to stop what it does, and returns nil when it is
	// idle, or the cause of ctx's end.
	Interrupt(ctx context.Context) error
	// Idle waits until the agent does nothing any more.
	Idle(ctx context.Context) error
	// Close lets go of what the driver holds. The agent stays.
	Close()
}

// outcome is how a turn ended, as the one who ran it sees it.
type outcome struct {
	state   a2a.TaskState
	text    string       // for people, "" for none
	parts   []a2a.Part   // what the agent said in parts, nil for nothing
	message bool         // answer with a bare message
	meta    a2a.Metadata // of the last status
	extras  extras       // what the agent said beside its words
}

// extras are metadata and extensions that the agent gave its answer, whichever
// form that takes.
type extras struct {
	metadata   a2a.Metadata
	extensions []string
}

// on gives a message what the agent said beside its words.
func (e extras) on(m *a2a.Message) *a2a.Message {
	m.Metadata, m.Extensions = e.metadata, e.extensions
	return m
}

// onArtifact adds it to an artifact. What the sidecar says of that wins.
func (e extras) onArtifact(a *a2a.Artifact) {
	a.Metadata, a.Extensions = a.Metadata.With(e.metadata), e.extensions
}

// completed is the outcome of a turn that went well.
func completed() outcome { return outcome{state: a2a.StateCompleted} }

// failed is the outcome of a turn that an error ended.
func failed(err error) outcome {
	return outcome{state: a2a.StateFailed, text: err.Error()}
}

// with adds one item of metadata.
func (o outcome) with(key string, value any) outcome {
	if o.meta == nil {
		o.meta = a2a.Metadata{}
	}
	o.meta[key] = metadata(value)
	return o
}
