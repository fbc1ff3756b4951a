package gate

import (
	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Create calls create, which makes one task, when the caller may begin one in the
// context. Otherwise create is not called, and the error is a2a.ErrInvalidParams
// for a context that is somebody else's, a2a.ErrBusy when the caller has too many
// unfinished tasks, a2a.ErrUnavailable when all callers together have.
func (g *Gate) Create(caller, contextID string, create func()) error {
	g.creating.Lock()
	defer g.creating.Unlock()
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
	create()
	return nil
}

// unfinished writes a number of tasks.
func unfinished(n int) string {
	return text.CountOf(n, "task that has not ended", "tasks that have not ended")
}
