package turn

import (
	"context"
	"errors"
	"testing"
)

// Who waits while another goroutine asks an agent for its version stops with its own context: the agent may take long.
func TestWaitForAVersionEnds(t *testing.T) {
	r := &Runner{governing: &governing{asking: make(chan struct{}, 1)}}
	r.governing.asking <- struct{}{} // the one who asks
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the sidecar ends")
	cancel(why)
	if said, err := r.identify(ctx, nil); !errors.Is(err, why) || said != nil {
		t.Errorf("%v, %v", said, err)
	}
}
