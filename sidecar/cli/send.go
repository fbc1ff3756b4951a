package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/client"
)

const sendText = `Send a message and print the answer as it comes. When the agent asks something
back, you are asked, if this is a terminal; else the question is printed and the
task waits for: sidecar send --task ID ANSWER. While nothing comes a terminal
shows what the agent does, or what the task waits for.

TEXT may be several words; - reads it from stdin. Ctrl-C cancels the task.`

const sendExamples = `sidecar send 'What is in this repository?'
sidecar send --context review 'And now the tests.'
git diff | sidecar send -
sidecar send --task 4f5c… yes
sidecar send -o json hello | jq -c .status`

const sendExits = `0    the task was completed
1    it failed
2    the command line is wrong
3    it waits for an answer that nobody here can give
4    no sidecar there
5    it was canceled
6    it was rejected
7    busy or unavailable: try again
125  stdin cannot be read, or stdout not written
130  Ctrl-C`

// cancelTime is how long Ctrl-C waits for the server to stop a task.
const cancelTime = 10 * time.Second

// sendOptions are the flags of send.
type sendOptions struct {
	target
	context  string
	task     string
	noStream bool
}

func newSend(std Std) *cobra.Command {
	o := &sendOptions{target: target{std: std}}
	c := &cobra.Command{
		Use:         "send TEXT...",
		Short:       "Send a message and print the answer",
		Long:        sendText,
		Example:     sendExamples,
		Annotations: map[string]string{exitCodes: sendExits},
		Args:        between(1, 1<<20, "TEXT"),
	}
	o.addFlag(c)
	outputFlag(c, func(c *cobra.Command, args []string, asJSON bool) error {
		text, err := o.text(args)
		if err != nil {
			return &exitError{code: exitFault, err: err}
		}
		if strings.TrimSpace(text) == "" {
			return usagef(c.CommandPath(), "TEXT is empty")
		}
		return o.run(c.Context(), text, asJSON)
	})
	c.Flags().StringVarP(&o.context, "context", "c", "", "`ID` of the conversation to go on with, or to begin")
	c.Flags().StringVarP(&o.task, "task", "t", "", "`ID` of the task that waits for this answer")
	c.Flags().BoolVar(&o.noStream, "no-stream", false, "print the answer when it is complete")
	return c
}

func (o *sendOptions) text(args []string) (string, error) {
	if len(args) == 1 && args[0] == "-" {
		data, err := io.ReadAll(o.std.In)
		return string(data), err
	}
	return strings.Join(args, " "), nil
}

// exchange is one run of send: it sends messages and prints events, until the task
// has ended or nobody answers its question.
type exchange struct {
	*sendOptions
	client *client.Client
	base   string
	answer *transcript
	lines  *bufio.Reader // what a person types
}

func (o *sendOptions) run(ctx context.Context, text string, asJSON bool) error {
	client, base, err := o.client()
	if err != nil {
		return err
	}
	x := &exchange{sendOptions: o, client: client, base: base, answer: newTranscript(o.std, asJSON), lines: bufio.NewReader(o.std.In)}
	x.answer.task, x.answer.context = o.task, o.context
	err = x.deliver(ctx, text)
	for err == nil {
		if !x.answer.state.Interrupted() {
			return x.ended()
		}
		if !x.personThere() {
			return x.unanswered()
		}
		until, stop := untilInterrupt(ctx)
		text, err = x.ask(until)
		gaveUp := until.Err() != nil && ctx.Err() == nil
		stop()
		switch {
		case gaveUp:
			return x.cancel(ctx)
		case err == nil:
			err = x.deliver(ctx, text)
		case errors.Is(err, errWithdrawn):
			fmt.Fprintln(x.std.Err, "(answered elsewhere)")
			err = x.interruptible(ctx, x.goOn)
		default:
			return x.unanswered()
		}
	}
	return err
}

// goOn prints what comes after a question was withdrawn.
func (x *exchange) goOn(ctx context.Context) error {
	x.answer.state = ""
	stream, err := x.resume(ctx, &outage{}, nil)
	if err != nil || stream == nil {
		return err
	}
	return x.follow(ctx, stream)
}

// deliver sends one message and prints what comes back until the task has
// ended or asks something.
func (x *exchange) deliver(ctx context.Context, text string) error {
	r := &a2a.SendRequest{Message: a2a.Message{
		ID: a2a.NewID(), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(text)},
		TaskID: x.answer.task, ContextID: x.answer.context,
	}}
	x.answer.state = ""
	return x.interruptible(ctx, func(ctx context.Context) error { return x.receive(ctx, r) })
}

// interruptible runs fn; Ctrl-C ends it and cancels the task.
func (x *exchange) interruptible(ctx context.Context, fn func(context.Context) error) error {
	until, stop := untilInterrupt(ctx)
	defer stop()
	err := fn(until)
	if until.Err() != nil && ctx.Err() == nil {
		return x.cancel(ctx)
	}
	return taskError(x.base, err)
}

func (x *exchange) receive(ctx context.Context, r *a2a.SendRequest) error {
	if x.noStream {
		result, err := x.client.Send(ctx, r)
		if err != nil {
			return err
		}
		return x.answer.add(&a2a.Event{Task: result.Task, Message: result.Message})
	}
	stream, err := x.client.Stream(ctx, r)
	if err != nil {
		return err
	}
	return x.follow(ctx, stream)
}

// cancel stops the task after Ctrl-C.
func (x *exchange) cancel(ctx context.Context) error {
	x.answer.end()
	if x.answer.state.Terminal() {
		return interrupted()
	}
	if x.answer.task == "" {
		return &exitError{code: exitInterrupt, err: errors.New("interrupted before the server named the task: it may go on")}
	}
	ctx, stop := context.WithTimeout(ctx, cancelTime)
	defer stop()
	if _, err := x.client.Cancel(ctx, &a2a.CancelRequest{ID: x.answer.task}); err != nil {
		return &exitError{code: exitInterrupt, err: fmt.Errorf("task %s could not be canceled: %w", x.answer.task, err)}
	}
	fmt.Fprintf(x.std.Err, "sidecar: task %s canceled\n", printable(x.answer.task))
	return interrupted()
}

// ended turns the state of the task into an exit code.
func (x *exchange) ended() error {
	x.answer.end()
	code := 0
	switch x.answer.state {
	case a2a.StateCompleted:
		return x.answer.lastWord()
	case a2a.StateFailed:
		code = exitFailed
	case a2a.StateCanceled:
		code = exitCanceled
	case a2a.StateRejected:
		code = exitRejected
	}
	if code == 0 {
		return nil
	}
	why := "task " + x.answer.task + " " + stateName(x.answer.state)
	if said := x.answer.said(); said != "" {
		why += ": " + said
	}
	return &exitError{code: code, err: errors.New(oneLine(why))}
}

// stateName returns a state as people write it: input-required.
func stateName(s a2a.TaskState) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(string(s), "TASK_STATE_")), "_", "-")
}

// oneLine joins the lines of a foreign text, so that it does not look like several
// errors.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
