package push_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/push"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// A drain gives everybody the end of their tasks: who waits is tried once more.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, push.Options{}, task.Options{})
		var down atomic.Bool
		down.Store(true)
		r.answer["back"] = downWhile(&down)
		r.answer["down"] = isDown
		r.answer["refuses"] = func(_ context.Context, attempt int) error {
			if attempt == 1 {
				return status(400)
			}
			return nil
		}
		r.answer["hangs"] = hangs
		k := r.create()
		for _, host := range []string{"up", "back", "down", "refuses"} {
			r.add(k, host, a2a.V10)
		}
		time.Sleep(10 * time.Minute)
		down.Store(false)
		r.status(k, a2a.StateFailed)
		begin := time.Now()
		r.push.Drain(t.Context())
		if d := time.Since(begin); d != 0 {
			t.Errorf("nobody hangs: %v", d)
		}
		r.want("up", "task:submitted failed")
		r.want("back", "task:failed")
		r.want("down", "")
		r.want("refuses", "failed")

		k = r.create()
		r.add(k, "hangs", a2a.V10)
		r.status(k, a2a.StateFailed)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r.push.Drain(ctx)
		if d := time.Since(begin); d != time.Second {
			t.Errorf("somebody hangs: %v", d)
		}
		r.push.Close()
		if s := r.push.Stats(); s.Receivers != 0 || s.Sending != 0 {
			t.Errorf("after Close: %+v", s)
		}
		r.push.Serve(k, "x") // does nothing
	})
}
