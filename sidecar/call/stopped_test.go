package call

import (
	"errors"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// A program whose question is withdrawn may end before it is stopped: it was
// stopped all the same. What it brought to its end counts, unless the client
// called it off.
func TestStoppedBy(t *testing.T) {
	failed := proc.Exit{Code: 1}
	for _, c := range []struct {
		cause error
		late  bool
		exit  proc.Exit
		want  error
	}{
		{task.ErrCanceled, false, failed, task.ErrCanceled},
		{task.ErrCanceled, true, failed, task.ErrCanceled},
		{task.ErrCanceled, true, proc.Exit{}, task.ErrCanceled},
		{task.ErrDeadline, false, proc.Exit{}, task.ErrDeadline},
		{task.ErrDeadline, true, failed, task.ErrDeadline},
		{task.ErrDeadline, true, proc.Exit{}, nil},
		{task.ErrDraining, true, proc.Exit{}, nil},
		{errSettled, true, failed, nil},
		{errSettled, false, failed, nil},
	} {
		if got := stoppedBy(c.cause, c.late, c.exit); !errors.Is(got, c.want) {
			t.Errorf("%v, late %v, %v: %v, want %v", c.cause, c.late, c.exit, got, c.want)
		}
	}
}
