package turn_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// TestDrawnFailure: an agent's own error fails the task with its words, if only
// its screen tells and if it says without a reason that it failed. The next
// message is not touched by it. What a hook gives as the answer is one.
func TestDrawnFailure(t *testing.T) {
	t.Parallel()
	for habit, state := range map[string]a2a.TaskState{
		"slowStart=10": a2a.StateFailed, "status": a2a.StateFailed, "hooks": a2a.StateCompleted,
	} {
		t.Run(habit, func(t *testing.T) {
			t.Parallel()
			r := drawingWith(t, func(o *turn.Options) { withChannel(t, o) }, habit)
			got := r.ask("FAIL 400 no credit")
			if got.Status.State != state || state == a2a.StateFailed && status(got) != "API Error: 400 no credit" {
				t.Errorf("task is %s (%q), want it %s", got.Status.State, status(got), state)
			}
			want(t, r.ask("go on"), a2a.StateCompleted, "ECHO: go on")
		})
	}
}
