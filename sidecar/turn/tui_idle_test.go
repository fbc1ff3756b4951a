package turn_test

import (
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// TestDrawnQuestionOfACanceledTurn: the key that ends the turn is lost, as it comes
// too soon, and the question does not stand in the way of all that follows.
func TestDrawnQuestionOfACanceledTurn(t *testing.T) {
	t.Parallel()
	for _, grace := range []time.Duration{10 * time.Second, 100 * time.Millisecond} {
		r := drawingWith(t, func(o *turn.Options) { o.CancelGrace = grace }, "startled=600")
		k := r.send("ASK touch x")
		r.until(k, a2a.TaskState.Interrupted)
		k.Cancel(task.ErrCanceled)
		if got := r.end(k); got.Status.State != a2a.StateCanceled {
			t.Errorf("task is %s", got.Status.State)
		}
		want(t, r.ask("next"), a2a.StateCompleted, "ECHO: next")
	}
}
