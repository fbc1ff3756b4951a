package turn

import (
	"context"
	"os"

	"github.com/a2a-sidecar/sidecar/proc"
)

// sessions manages the agent's processes: one for all contexts, with one conversation for all or
// one for each, or a process per context.
type sessions interface {
	// start starts the first process.
	start(ctx context.Context) error
	// acquire gives the turn a session of its own until release. It notes in the
	// turn what the client should know of that session.
	acquire(ctx context.Context, t *turn) (*session, error)
	release(s *session)
	// held returns every session, in the order in which they were started.
	held() []holding
	// ready returns why a turn could not run now, nil if it could.
	ready() error
	// exited returns a channel that is closed when the agent has ended for good;
	// exit returns how it ended.
	exited() <-chan struct{}
	exit() proc.Exit
	signal(sig os.Signal)
	// Close returns when every process is gone. Runner.drain has ended before.
	Close()
}

func newSessions(r *Runner) sessions {
	if r.pooled() {
		return newPool(r)
	}
	return newSharedSession(r)
}
