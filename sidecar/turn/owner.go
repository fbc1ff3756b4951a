package turn

import (
	"sync"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// ownership says whose the one session is: the caller's of its first turn, or of
// the first call that was typed into it, and it stays so, over restarts too. A
// conversation is nobody else's to see. Where callers are not known, it is
// everybody's. Sessions of several contexts need none: a context is one caller's.
type ownership struct {
	mu    sync.Mutex
	owner string
	held  int // turns and calls that made it the owner's; 0: nobody's yet
}

// errOthers is what everybody else is told.
var errOthers = a2a.ErrBusy.With("the agent's session belongs to another caller; --sessions gives each context a session of its own")

// admits says whether the caller may have the session.
func (b *ownership) admits(caller string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held > 0 && b.owner != caller {
		return errOthers
	}
	return nil
}

// take makes the session the caller's. What it returns takes that back, for a
// turn of which the agent never heard.
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

// Admits says whether a caller may speak to the agent: a2a.ErrBusy when the one
// session is somebody else's.
func (r *Runner) Admits(caller string) error {
	if r.owner == nil {
		return nil
	}
	return r.owner.admits(caller)
}

// Claim says whether a caller may use a context as far as the agent's own memory
// goes: a2a.ErrInvalidParams when the agent keeps a thread of it that somebody
// else has begun. Threads outlive their tasks.
func (r *Runner) Claim(caller, contextID string) error {
	if r.oneshot == nil {
		return nil
	}
	return r.oneshot.Admits(caller, contextID)
}

// take makes the one session the caller's, where there is one.
func (r *Runner) take(caller string) (giveBack func(), err error) {
	if r.owner == nil {
		return func() {}, nil
	}
	return r.owner.take(caller)
}
