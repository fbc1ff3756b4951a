package spec

import "github.com/a2a-sidecar/sidecar/sidecar/agent/peer"

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
}
