package spec

import (
	"fmt"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// Way is a mode in which the agent can be run.
type Way struct {
	Mode string // one of config's
	Why  string // what speaks for it, as the end of a sentence: "it asks before it acts"
}

// Stream is how the agent is spoken to in messages of its own, for --mode stream. Either Plan and Peer
// are set, or Once.
type Stream struct {
	// Plan says how to start a process that is spoken to so. A field that the Plan leaves nil stays
	// as in the Launch.
	Plan func(*Launch) (Plan, error)
	// Peer returns our end of the connection to a process that was just started.
	Peer func(peer.Process) peer.Peer
	// Single is set if a process holds one conversation only, which it resumes at its start:
	// Launch.Conversation names it.
	Single bool
	// Once is set if a process serves one turn only.
	Once *Once
}

// Once is how a process is started that serves one turn and reports in events (see [Dialect]).
type Once struct {
	// Plan is as for Stream.
	Plan func(*Launch) (Plan, error)
	// Create and Resume are the flags that name the conversation, on its first and on later turns. It is
	// a UUID.
	Create, Resume string
	// Forgotten is the exit code of a process that says nothing because it does not know the
	// conversation that it is to resume; 0 if there is no such code.
	Forgotten int
}

// Start says how to start the agent by one of its plans (ACP, or one of Stream's), nil to leave it as
// it is. With an error, which says why the agent cannot be started so, there is no Plan.
func (a *Agent) Start(l Launch, plan func(*Launch) (Plan, error)) (Plan, error) {
	l = a.complete(l)
	if plan == nil {
		return Plan{}.over(&l), nil
	}
	p, err := plan(&l)
	if err != nil {
		return Plan{}, fmt.Errorf("%s cannot be started so: %w", a.Name, err)
	}
	return p.over(&l), nil
}
