package job

import (
	"errors"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// A program whose question is withdrawn may end before it is stopped: it was
// stopped all the same. What it brought to its end counts, unless the client
// called it off.
func TestStoppedBy(t *testing.T) {
	failed, done := proc.Exit{Code: 1}, &channel.Done{}
	for _, c := range []struct {
		cause error
		done  *channel.Done
		late  bool
		exit  proc.Exit
		want  error
	}{
		{task.ErrCanceled, nil, false, failed, task.ErrCanceled},
		{task.ErrCanceled, nil, true, failed, task.ErrCanceled},
		{task.ErrCanceled, nil, true, proc.Exit{}, task.ErrCanceled},
		{task.ErrCanceled, done, true, proc.Exit{}, task.ErrCanceled},
		{task.ErrDeadline, nil, false, proc.Exit{}, task.ErrDeadline},
		{task.ErrDeadline, nil, true, failed, task.ErrDeadline},
		{task.ErrDeadline, nil, true, proc.Exit{}, nil},
		{task.ErrDeadline, done, false, failed, nil},
		{task.ErrDraining, nil, true, proc.Exit{}, nil},
		{task.ErrDraining, done, false, failed, nil},
	} {
		if got := stoppedBy(c.cause, c.done, c.late, c.exit); !errors.Is(got, c.want) {
			t.Errorf("%v, done %v, late %v, %v: %v, want %v", c.cause, c.done != nil, c.late, c.exit, got, c.want)
		}
	}
}
