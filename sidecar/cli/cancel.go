package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/client"
)

const cancelText = `Cancel tasks: the agent is interrupted, or its process is stopped. It returns when
they have ended.`

const cancelExamples = `sidecar cancel 4f5c…
sidecar tasks -s working -o json | jq -r '.tasks[].id' | xargs sidecar cancel`

const cancelExits = `0    canceled, each of them
1    one is not there, has ended before, or goes on
2    the command line is wrong
4    no sidecar there
130  Ctrl-C; the tasks may end all the same`

func newCancel(std Std) *cobra.Command {
	t := target{std: std}
	c := &cobra.Command{
		Use:         "cancel TASK...",
		Short:       "Cancel tasks",
		Long:        cancelText,
		Example:     cancelExamples,
		Annotations: map[string]string{exitCodes: cancelExits},
		Args:        between(1, 1<<20, "the TASK's id"),
		RunE:        func(c *cobra.Command, ids []string) error { return t.cancel(c.Context(), ids) },
	}
	c.ValidArgsFunction = t.taskIDs(func(s a2a.TaskState) bool { return !s.Terminal() })
	t.addFlag(c)
	return c
}

// cancel cancels each task, even after one that could not be canceled.
func (t *target) cancel(ctx context.Context, ids []string) error {
	ctx, stop := untilInterrupt(ctx)
	defer stop()
	client, base, err := t.client()
	if err != nil {
		return err
	}
	var last error
	for _, id := range ids {
		err := t.cancelOne(ctx, client, base, id)
		if ctx.Err() != nil {
			return interrupted()
		}
		if err != nil && last != nil {
			report(t.std, last)
		}
		last = cmp.Or(err, last)
	}
	return last
}

func (t *target) cancelOne(ctx context.Context, client *client.Client, base, id string) error {
	task, err := client.Cancel(ctx, &a2a.CancelRequest{ID: id})
	switch {
	case err != nil:
		return taskError(base, err)
	case task.Status.State.Terminal() && task.Status.State != a2a.StateCanceled:
		return &exitError{code: exitFailed, err: fmt.Errorf("%s: task %s has ended (%s)", base, id, stateName(task.Status.State))}
	case task.Status.State != a2a.StateCanceled:
		return &exitError{code: exitFailed, err: fmt.Errorf("%s: task %s goes on (%s): its agent has not stopped yet", base, id, stateName(task.Status.State))}
	}
	_, err = fmt.Fprintf(t.std.Out, "task %s canceled\n", printable(id))
	return err
}
