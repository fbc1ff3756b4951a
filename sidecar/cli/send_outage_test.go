package cli

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// A task is looked for at once, then less and less often, and not for ever.
func TestOutage(t *testing.T) {
	for name, c := range map[string]struct {
		why      error
		tries    int
		min, max time.Duration
	}{
		"nobody there":   {errors.New("connection refused"), 19, 28 * time.Second, 30 * time.Second},
		"come in 10 s":   {&a2a.Error{RetryAfter: 10}, 4, 30 * time.Second, 30 * time.Second},
		"come in 1 hour": {&a2a.Error{RetryAfter: 3600}, 1, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var o outage
				for range 2 { // the second time as if nothing had been
					begin, tries := time.Now(), 0
					for o.next(t.Context(), c.why) {
						tries++
					}
					if took := time.Since(begin); tries != c.tries || took < c.min || took > c.max {
						t.Errorf("%d tries in %v", tries, took)
					}
					o.over()
				}
			})
		})
	}
}

// Ctrl-C is not waited out.
func TestOutageIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
		defer cancel()
		begin := time.Now()
		var o outage
		for o.next(ctx, nil) {
		}
		if took := time.Since(begin); took != 150*time.Millisecond {
			t.Errorf("gave up after %v", took)
		}
	})
}
