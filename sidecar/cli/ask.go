package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

const askText = `Ask whoever sent the current task something, and print the answer: the id of the
option that was chosen, or, without options, the text. The task waits meanwhile,
as input-required.`

const askExamples = `name=$(sidecar ask 'What shall I call it?')
case $(sidecar ask --option y=Yes --option n=No 'Delete it?') in
  y) rm it ;;
esac`

const askExits = `0  answered
1  it could not be asked: the task has ended, or another question is open
2  the command line is wrong
3  nobody can answer, or nobody did in time
4  no sidecar there`

// askOptions are the flags of ask.
type askOptions struct {
	std     Std
	options []string
	timeout time.Duration
	json    bool
	part    partFlags
	extra   extraFlags
}

func newAsk(std Std) *cobra.Command {
	o := &askOptions{std: std}
	c := &cobra.Command{
		Use:         "ask QUESTION...",
		Short:       "Ask the client something, and print the answer",
		Long:        askText,
		Example:     askExamples,
		Annotations: map[string]string{exitCodes: askExits},
		Args:        between(1, 1<<20, "the QUESTION"),
		RunE: func(c *cobra.Command, args []string) error {
			q, err := o.question(c, args)
			if err != nil {
				return err
			}
			return o.run(c.Context(), q)
		},
	}
	c.Flags().StringArrayVar(&o.options, "option", nil, "`ID[=LABEL]` an answer to choose; repeatable")
	c.Flags().BoolVar(&o.json, "json", false, "print the whole answer as JSON: answer, optionId, parts, metadata, extensions")
	o.part.add(c)
	o.extra.add(c, "the question")
	c.Flags().DurationVar(&o.timeout, "timeout", 0, "`D` wait so long for the answer (at most, and by default, run's --ask-timeout)")
	return c
}

func (o *askOptions) question(c *cobra.Command, args []string) (q channel.Question, err error) {
	q = channel.Question{Text: strings.Join(args, " "), Timeout: o.timeout}
	if strings.TrimSpace(q.Text) == "" {
		return q, usagef(c.CommandPath(), "the QUESTION is empty")
	}
	if o.timeout < 0 {
		return q, usagef(c.CommandPath(), "--timeout %s is negative", o.timeout)
	}
	seen := map[string]bool{}
	for _, option := range o.options {
		id, label, _ := strings.Cut(option, "=")
		if id == "" || seen[id] {
			return q, usagef(c.CommandPath(), "--option %q needs an ID of its own", option)
		}
		seen[id] = true
		q.Options = append(q.Options, channel.Option{ID: id, Label: label})
	}
	if q.Parts, err = o.part.read(c); err != nil {
		return q, err
	}
	q.Metadata, q.Extensions, err = o.extra.read(c)
	return q, err
}

func (o *askOptions) run(ctx context.Context, q channel.Question) error {
	return withChannel(ctx, o.std, func(client *channel.Client) error {
		a, err := client.Ask(ctx, q)
		if err != nil {
			return channelError(err)
		}
		text := a.Text
		if a.OptionID != "" {
			text = a.OptionID
		}
		if o.json {
			whole, err := json.Marshal(a)
			if err != nil {
				return &exitError{code: exitFailed, err: err}
			}
			text = string(whole)
		}
		_, err = fmt.Fprintln(o.std.Out, forReader(o.std.Out, text))
		return err
	})
}
