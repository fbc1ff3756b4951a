package sidecar

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// health says whether new work is taken.
type health struct {
	state   atomic.Int32
	started chan struct{} // closed when starting is over
	// store says why tasks cannot be stored, nil when they can. It is nil where
	// there is no store.
	store func() error
}

const (
	starting int32 = iota
	serving
	draining
)

func newHealth() health { return health{started: make(chan struct{})} }

// serve ends the starting.
func (h *health) serve() {
	h.state.Store(serving)
	close(h.started)
}

// admit is refuse for work that may have come a moment too early: while the
// sidecar starts it waits, for as long as the sender would be told to wait. The
// error may also be why ctx ended.
func (h *health) admit(ctx context.Context) error {
	if h.state.Load() == starting {
		timer := time.NewTimer(time.Duration(a2a.ErrUnavailable.RetryAfter) * time.Second)
		defer timer.Stop()
		select {
		case <-h.started:
		case <-timer.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return h.refuse()
}

// refuse is nil while new work is taken, else what to tell its sender.
func (h *health) refuse() error {
	switch h.state.Load() {
	case starting:
		return a2a.ErrUnavailable.With("the sidecar is starting")
	case draining:
		return a2a.ErrUnavailable.With("the sidecar is shutting down")
	}
	if h.store != nil && h.store() != nil { // why is for the log
		return a2a.ErrUnavailable.With("tasks cannot be stored")
	}
	return nil
}

// name is the state in a word.
func (h *health) name() string {
	switch h.state.Load() {
	case starting:
		return "starting"
	case draining:
		return "draining"
	}
	return "serving"
}
