package gate

import (
	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Create returns nil when the caller may make one task in the context. Nobody else
// is asked until created is called, which must be soon after the task was made. The
// error is a2a.ErrInvalidParams for a context that is somebody else's, a2a.ErrBusy
// when the caller has too many unfinished tasks, a2a.ErrUnavailable when all callers
// together have.
func (g *Gate) Create(caller, contextID string) (created func(), err error) {
	g.creating.Lock()
	if err := g.mayCreate(caller, contextID); err != nil {
		g.creating.Unlock()
		return nil, err
	}
	return g.creating.Unlock, nil
}

func (g *Gate) mayCreate(caller, contextID string) error {
	for _, claim := range g.o.Claims {
		if err := claim(caller, contextID); err != nil {
			return err
		}
	}
	own, all := g.o.Unfinished(caller)
	switch {
	case g.o.CallerTasks > 0 && own >= g.o.CallerTasks:
		return a2a.ErrBusy.With("this caller has %s, which is the limit", unfinished(own))
	case g.o.Tasks > 0 && all >= g.o.Tasks:
		return a2a.ErrUnavailable.With("the sidecar has %s, which is the limit", unfinished(all))
	}
	return nil
}

// unfinished writes a number of tasks.
func unfinished(n int) string {
	return text.CountOf(n, "task that has not ended", "tasks that have not ended")
}
