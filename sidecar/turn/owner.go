package turn

import (
	"sync"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// ownership says which caller the shared session belongs to: the caller of its first
// turn, or of the first call that was typed into it. It stays with that caller, over
// restarts too, and no other caller sees the conversation. If callers are not known,
// the session is everybody's. Conversations per context need no ownership: a context
// belongs to one caller.
type ownership struct {
	mu    sync.Mutex
	owner string
	held  int // turns and calls that made it the owner's; 0: it has no owner yet
}

// errOthers is the error for every other caller.
var errOthers = a2a.ErrBusy.With("the agent's session belongs to another caller; --sessions gives each context a session of its own")

// admits returns errOthers if the caller may not see the session.
func (b *ownership) admits(caller string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held > 0 && b.owner != caller {
		return errOthers
	}
	return nil
}

// take makes the session the caller's, or fails with errOthers. giveBack undoes that,
// for a turn of which the agent never heard.
func (b *ownership) take(caller string) (giveBack func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held > 0 && b.owner != caller {
		return nil, errOthers
	}
	b.owner = caller
	b.held++
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.held--
	}, nil
}

// Admits returns a2a.ErrBusy if the caller may not speak to the agent because the one
// session belongs to somebody else. Submit asks again; who asks before learns it before
// a task is made, and not that the session's context is taken.
func (r *Runner) Admits(caller string) error {
	if r.owner == nil {
		return nil
	}
	return r.owner.admits(caller)
}

// Claim checks whether a caller may use a context, as far as the agent's own memory
// is concerned. It returns a2a.ErrInvalidParams if the agent keeps a conversation of this
// context that another caller has begun. Conversations outlive their tasks.
func (r *Runner) Claim(caller, contextID string) error {
	switch {
	case r.oneshot != nil:
		return r.oneshot.Admits(caller, contextID)
	case r.memory != nil:
		return r.memory.Admits(caller, contextID)
	}
	return nil
}

// take makes the one session the caller's, if there is only one.
func (r *Runner) take(caller string) (giveBack func(), err error) {
	if r.owner == nil {
		return func() {}, nil
	}
	return r.owner.take(caller)
}
