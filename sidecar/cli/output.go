package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

const outputText = `Print all of a tool's output that was too long for its envelope, by the id of the
call's task. It is there for as long as the sidecar has the task in memory.`

const outputExamples = `sidecar output 4f5c… > whole.log
sidecar output --range -1000 4f5c…         its last 1000 bytes`

const outputExits = `0    printed
1    there is no such output, or not that part of it
2    the command line is wrong
4    no sidecar there
125  it cannot be written, or broke off
130  Ctrl-C`

// outputOptions are the flags of output.
type outputOptions struct {
	target
	part string
}

func newOutput(std Std) *cobra.Command {
	o := &outputOptions{target: target{std: std}}
	c := &cobra.Command{
		Use:         "output TASK",
		Short:       "Print all of a tool's output",
		Long:        outputText,
		Example:     outputExamples,
		Annotations: map[string]string{exitCodes: outputExits},
		Args:        between(1, 1, "the TASK's id"),
		RunE: func(c *cobra.Command, args []string) error {
			if o.part != "" && !byteRange().MatchString(o.part) {
				return usagef(c.CommandPath(), "--range=%q is no range of bytes; write one such as 0-99, 100- or -100", o.part)
			}
			return o.run(c.Context(), args[0])
		},
	}
	c.ValidArgsFunction = o.taskIDs(a2a.TaskState.Terminal)
	o.addFlag(c)
	c.Flags().StringVar(&o.part, "range", "", "`FROM-TO` which bytes, as HTTP counts them: 0-99, 100- or -100")
	return c
}

func byteRange() *regexp.Regexp { return regexp.MustCompile(`^([0-9]+-[0-9]*|-[0-9]+)$`) }

func (o *outputOptions) run(ctx context.Context, id string) error {
	ctx, stop := untilInterrupt(ctx)
	defer stop()
	client, base, err := o.client()
	if err != nil {
		return err
	}
	body, err := client.Output(ctx, id, o.part)
	switch {
	case ctx.Err() != nil:
		return interrupted()
	case errors.Is(err, a2a.ErrInvalidParams):
		return &exitError{code: exitFailed, err: err}
	case errors.Is(err, a2a.ErrTaskNotFound):
		return &exitError{code: exitFailed, err: err, hint: "sidecar get TASK prints the result with its head; an output is there only if it was cut (truncated)"}
	case err != nil:
		return clientError(base, err)
	}
	defer body.Close()
	if _, err = io.Copy(readable{o.std.Out}, body); err != nil && ctx.Err() != nil {
		return interrupted()
	}
	return err
}

// readable writes what a terminal must not obey in a form that can be read. What goes to a
// file or a program stays as it is.
type readable struct{ out *os.File }

func (w readable) Write(p []byte) (int, error) {
	if !isTerminal(w.out) {
		return w.out.Write(p)
	}
	if _, err := io.WriteString(w.out, printableLines(string(text.Resume(p)))); err != nil {
		return 0, err
	}
	return len(p), nil
}
