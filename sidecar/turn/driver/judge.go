package driver

import (
	"context"
	"errors"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Judge decides, in one turn's name, what the agent may do by its own tools, and does what the agent
// has us do. Its methods may be called from many goroutines.
type Judge interface {
	peer.Host
	// Permit decides whether the agent may do what it asks for: by the rules first, and by a
	// person, in the turn's task, if these say ask. The end of ctx withdraws the question: then the error
	// is its cause. Any other error says why nobody could decide; the action is not allowed then.
	Permit(ctx context.Context, a peer.Action) (peer.Answer, error)
	// Close ends what was started in the turn's name and is left.
	Close()
}

// Judges returns the judge for a turn of a task.
type Judges func(t *task.Task) Judge

// NoJudge allows nothing: it is for an agent whose sidecar has no rules.
func NoJudge(*task.Task) Judge { return noJudge{} }

type noJudge struct{}

var errNoJudge = errors.New("nobody is there to decide")

func (noJudge) Permit(context.Context, peer.Action) (peer.Answer, error) {
	return peer.Answer{}, errNoJudge
}

func (noJudge) ReadFile(context.Context, string, int, int) (string, error) { return "", errNoJudge }

func (noJudge) WriteFile(context.Context, string, string) error { return errNoJudge }

func (noJudge) Run(context.Context, peer.Program) (peer.Terminal, error) { return nil, errNoJudge }

func (noJudge) Close() {}
