package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
)

const getText = `Print a task's answer as send does, with its state on stderr. With --follow the
answer goes on as it comes, until the task ends or asks something; -o json then has
its events, as send has them.`

const getExamples = `sidecar get 4f5c…
sidecar get --follow 4f5c…
sidecar get -o json 4f5c… | jq .status`

const getExits = `0    told; with --follow: the task was completed
1    there is no such task, or the server answered an error; with --follow: it failed
2    the command line is wrong
3    with --follow: it waits for an answer
4    no sidecar there
5    with --follow: it was canceled
6    with --follow: it was rejected
130  Ctrl-C; the task goes on`

// getOptions are the flags of get.
type getOptions struct {
	target
	follow bool
	now    func() time.Time
}

func newGet(std Std) *cobra.Command {
	o := &getOptions{target: target{std: std}, now: time.Now}
	c := &cobra.Command{
		Use:         "get TASK",
		Short:       "Print a task's answer",
		Long:        getText,
		Example:     getExamples,
		Annotations: map[string]string{exitCodes: getExits},
		Args:        between(1, 1, "the TASK's id"),
	}
	c.ValidArgsFunction = o.taskIDs(nil)
	o.addFlag(c)
	outputFlag(c, func(c *cobra.Command, args []string, asJSON bool) error {
		return o.run(c.Context(), args[0], asJSON)
	})
	c.Flags().BoolVarP(&o.follow, "follow", "f", false, "go on until the task ends, or asks something")
	return c
}

func (o *getOptions) run(ctx context.Context, id string, asJSON bool) error {
	until, stop := untilInterrupt(ctx)
	defer stop()
	client, base, err := o.client()
	if err != nil {
		return err
	}
	t, err := o.task(until, client, base, id)
	if err != nil {
		return err
	}
	x := &exchange{sendOptions: &sendOptions{target: o.target}, client: client, base: base, answer: newTranscript(o.std, asJSON)}
	if !asJSON {
		o.head(t)
	}
	if !o.follow || t.Status.State.Terminal() || t.Status.State.Interrupted() {
		return o.tell(x, t)
	}
	x.answer.task = id
	err = x.goOn(until)
	switch {
	case until.Err() != nil:
		x.answer.end()
		return interrupted()
	case err != nil:
		return clientError(base, err)
	case x.answer.state.Interrupted():
		return x.unanswered()
	}
	return x.ended()
}

// head says on stderr which task it is.
func (o *getOptions) head(t *a2a.Task) {
	fmt.Fprintf(o.std.Err, "task %s: %s for %s, context %s\n", printable(t.ID), stateName(t.Status.State),
		since(o.now(), t.Status.Timestamp), printable(t.ContextID))
}

// tell prints a task as it is. The way it ended becomes an exit code only if somebody
// has waited for it.
func (o *getOptions) tell(x *exchange, t *a2a.Task) error {
	if err := o.printTask(x, t); err != nil {
		return &exitError{code: exitFault, err: err}
	}
	x.answer.end()
	switch {
	case o.follow && t.Status.State.Interrupted():
		return x.unanswered()
	case o.follow:
		return x.ended()
	case x.answer.asJSON:
	case t.Status.State == a2a.StateCompleted:
		return x.answer.lastWord()
	case t.Status.State.Interrupted():
		showQuestion(o.std.Err, t.Status.Message)
		fmt.Fprintf(o.std.Err, "hint: sidecar send --task %s ANSWER\n", printable(t.ID))
	case x.answer.said() != "":
		fmt.Fprintf(o.std.Err, "%s\n", printableLines(x.answer.said()))
	}
	return nil
}

// printTask prints the answer, or for a program the whole task.
func (o *getOptions) printTask(x *exchange, t *a2a.Task) error {
	if !x.answer.asJSON {
		return x.answer.add(&a2a.Event{Task: t})
	}
	x.answer.learn(&a2a.Event{Task: t})
	_, err := fmt.Fprintf(o.std.Out, "%s\n", codec.EncodeTask(t, a2a.V10))
	return err
}

// taskError is clientError for a request about a task by its id.
func taskError(base string, err error) error {
	if !errors.Is(err, a2a.ErrTaskNotFound) {
		return clientError(base, err)
	}
	return &exitError{code: exitFailed, err: fmt.Errorf("%s: %w", base, err), hint: "sidecar tasks lists those that are there; ids are given whole"}
}
