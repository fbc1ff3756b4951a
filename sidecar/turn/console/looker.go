package console

import (
	"time"

	"github.com/a2a-sidecar/sidecar/proc/waits"
)

const (
	// lookLimit is how long the console waits for a look.
	lookLimit = 2 * time.Second
	// lookClose is how long the console waits at its end for a look that hangs.
	lookClose = time.Second
)

// lookHangs is why a look that does not return is Hidden.
const lookHangs = "the system does not answer: the agent's memory may come from a file system that hangs"

// looker takes the looks at what the agent waits for. A look may hang, because it reads memory of
// the agent and a file system may have to supply that. So each look runs in a goroutine of its own,
// and no other look begins before it has returned.
type looker struct {
	waits func() waits.Look
	// turn has a value while a caller takes a look. hung and closed belong to that caller.
	turn   chan struct{}
	hung   <-chan struct{} // closed when the look that hung returns; nil if none hangs
	closed bool
}

func newLooker(waits func() waits.Look) *looker {
	return &looker{waits: waits, turn: make(chan struct{}, 1)}
}

// look returns what the agent waits for. If that takes longer than lookLimit, and until the look
// that hangs has returned, it returns Hidden.
func (l *looker) look() waits.Look {
	limit := time.NewTimer(lookLimit)
	defer limit.Stop()
	hidden := waits.Look{Kind: waits.Hidden, Why: lookHangs}
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-limit.C:
		return hidden
	}
	if l.closed || l.hangs() {
		return hidden
	}
	var seen waits.Look
	done := make(chan struct{})
	go func() { // close waits for it
		defer close(done)
		seen = l.waits()
	}()
	select {
	case <-done:
		return seen
	case <-limit.C:
		l.hung = done
		return hidden
	}
}

// hangs reports whether a look has not returned yet.
func (l *looker) hangs() bool {
	if l.hung == nil {
		return false
	}
	select {
	case <-l.hung:
		l.hung = nil
	default:
	}
	return l.hung != nil
}

// close ends the looks. It waits for one that hangs, but not longer than lookClose, and reports
// whether all have returned.
func (l *looker) close() bool {
	l.turn <- struct{}{} // nobody holds it for longer than lookLimit
	defer func() { <-l.turn }()
	l.closed = true
	if l.hung == nil {
		return true
	}
	limit := time.NewTimer(lookClose)
	defer limit.Stop()
	select {
	case <-l.hung:
		return true
	case <-limit.C:
		return false
	}
}
