package turn

import (
	"context"
	"errors"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// A cancel beats a done, a done beats every other end, and work that was brought to
// its end beats a deadline and a drain that came after it.
func TestDecide(t *testing.T) {
	t.Parallel()
	completed := driver.Outcome{State: a2a.StateCompleted, Complete: true}
	stopped := driver.Outcome{State: a2a.StateFailed, Text: "killed"}
	for _, c := range []struct {
		cause  error
		done   *channel.Done
		driver driver.Outcome
		state  a2a.TaskState
		text   string
	}{
		{nil, nil, completed, a2a.StateCompleted, ""},
		{nil, nil, stopped, a2a.StateFailed, "killed"},
		{nil, &channel.Done{State: a2a.StateInputRequired, Text: "and?"}, stopped, a2a.StateInputRequired, "and?"},
		{task.ErrCanceled, nil, completed, a2a.StateCanceled, ""},
		{task.ErrCanceled, &channel.Done{}, stopped, a2a.StateCanceled, ""},
		{task.ErrDraining, nil, stopped, a2a.StateFailed, "shutting down"},
		{task.ErrDraining, nil, completed, a2a.StateCompleted, ""},
		{task.ErrDraining, &channel.Done{Text: "well"}, stopped, a2a.StateCompleted, "well"},
		{task.ErrDeadline, nil, stopped, a2a.StateFailed, "timed out"},
		{task.ErrDeadline, nil, completed, a2a.StateCompleted, ""},
		{task.ErrDeadline, &channel.Done{Text: "well"}, stopped, a2a.StateCompleted, "well"},
		{budget{}, nil, stopped, a2a.StateFailed, "timed out: the budget is used up"},
	} {
		tasks := task.NewRegistry(task.Options{})
		u := &turn{r: &Runner{}, task: tasks.Create("", "", &a2a.Message{Role: a2a.RoleUser}, nil)}
		u.Owner = job.NewRunner(job.Options{}).NewOwner(job.Work{Task: u.task})
		if c.done != nil {
			if err := u.Done(*c.done); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancelCause(u.task.Context())
		switch {
		case errors.Is(c.cause, task.ErrDeadline) && c.cause != error(budget{}): // of the turn
			cancel(c.cause)
		case c.cause != nil:
			u.task.Cancel(c.cause)
		}
		if got := u.decide(ctx, c.driver); got.State != c.state || got.Text != c.text {
			t.Errorf("%v, done %+v, %+v: %s %q, want %s %q", c.cause, c.done, c.driver, got.State, got.Text, c.state, c.text)
		}
		cancel(nil)
		tasks.Close()
	}
}

// budget is a limit of the task's own.
type budget struct{}

func (budget) Error() string        { return "the budget is used up" }
func (budget) Is(target error) bool { return target == task.ErrDeadline }
