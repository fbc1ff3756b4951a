package channel

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// An answer that fails because the agent has ended waits for the turn to learn
// of that: the exit code is told by who sees the end in the context.
func TestReasonWaitsForTheAgentsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		gone := &driver.EndedError{Exit: proc.Exit{Code: 3}}
		told := make(chan error, 1)
		go func() { told <- (*Driver)(nil).reason(ctx, fmt.Errorf("the answer: %w", gone)) }()
		synctest.Wait()
		if len(told) > 0 {
			t.Error("told before the turn has learned of the end")
		}
		cancel()
		if err := <-told; !errors.Is(err, gone) {
			t.Error(err)
		}
	})
}
