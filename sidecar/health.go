package sidecar

import (
	"sync/atomic"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// health says whether new work is taken.
type health struct {
	state atomic.Int32
	// store says why tasks cannot be stored, nil when they can. It is nil where
	// there is no store.
	store func() error
}

const (
	starting int32 = iota
	serving
	draining
)

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
