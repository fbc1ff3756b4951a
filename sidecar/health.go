package sidecar

import (
	"sync/atomic"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// health says whether new work is taken.
type health struct{ state atomic.Int32 }

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
	return nil
}
