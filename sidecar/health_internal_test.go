package sidecar

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// TestAdmitHolds: work that comes too early waits until the sidecar serves, at
// most for the time after which its sender would be told to come again.
func TestAdmitHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		patience := time.Duration(a2a.ErrUnavailable.RetryAfter) * time.Second
		h := newHealth()
		begun := time.Now()
		if err := h.admit(t.Context()); !errors.Is(err, a2a.ErrUnavailable) || time.Since(begun) != patience {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		gone, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := h.admit(gone); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a client that has gone: %v", err)
		}
		begun = time.Now()
		time.AfterFunc(2*time.Second, h.serve)
		if err := h.admit(t.Context()); err != nil || time.Since(begun) != 2*time.Second {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		h.state.Store(draining)
		if err := h.admit(t.Context()); !errors.Is(err, a2a.ErrUnavailable) {
			t.Errorf("draining: %v", err)
		}
	})
}
