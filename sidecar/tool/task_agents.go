package tool

import (
	"context"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// AgentName is an agent as the tool task shows it to models: its name, and one line on what it is for, "" for none.
type AgentName struct{ Name, Description string }

// Agents are the other agents to which one call may give work. The errors are written for the model.
type Agents interface {
	// Start gives work to an agent, and returns when the agent has taken it.
	Start(ctx context.Context, w SubWork) (SubTask, error)
	// Find returns a task of the call's conversation that was begun before.
	Find(id string) (SubTask, error)
}

// SubWork is a piece of work for another agent.
type SubWork struct {
	Agent, Prompt string
	// Description says in a few words what it is, for people; "" for none.
	Description string
	// ContextID is the conversation of the agent's that goes on; "" for a new one.
	ContextID string
	// Background says that the work may go on after the call.
	Background bool
}

// SubTask is a task of another agent. Its methods may be called from many goroutines at once.
type SubTask interface {
	// Status returns how it is now.
	Status() SubStatus
	// Text returns what it has said, from the byte at from on. It only grows.
	Text(from int) string
	// Changed returns a channel that is closed when Status or Text are next others. Take the channel before the
	// values that it concerns.
	Changed() <-chan struct{}
	// Cancel stops it, and returns when it has ended, or when ctx has.
	Cancel(ctx context.Context)
}

// The states of a SubTask.
const (
	SubWorking   = "working"
	SubAsking    = "waits for a person's answer"
	SubCompleted = "completed"
	SubFailed    = "failed"
	SubRejected  = "rejected"
	SubCanceled  = "canceled"
)

// SubStatus is how a task of another agent is. All words in it are clean, and on one line.
type SubStatus struct {
	ID, Agent string
	// ContextID is the conversation of the agent's that it belongs to, "" if the agent does not say.
	ContextID string
	State     string // one of the constants
	Ended     bool
	Fault     string // why it failed, "" if it did not
	Question  string // what it asks, "" if it does not
	Said      string // what the agent last said that it does
	Files     []File // that it has given
	// Unheld says that the agent does not know the limits that were sent down.
	Unheld bool
}

// SnapshotFor returns the definitions of the set's tools, with the agents that there are in that of task. Without agents there is no
// task.
func (s *Set) SnapshotFor(agents []AgentName) *manifest.Snapshot {
	if s == nil || !s.Has(TaskID) {
		return s.Snapshot()
	}
	var definitions []*manifest.Tool
	for _, d := range s.snapshot.Tools() {
		switch {
		case d.Name != Prefix+TaskID:
		case len(agents) == 0:
			continue
		default:
			d = task(agents).Definition
		}
		definitions = append(definitions, d)
	}
	return manifest.Compose(definitions...)
}
