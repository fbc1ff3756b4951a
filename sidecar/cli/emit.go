package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

const emitText = `Tell the sidecar that runs this program something about the current task. Nothing
is printed: stdout may be the answer.`

const emitExamples = `sidecar emit status --progress 0.5 'half way'
make report.pdf && sidecar emit artifact report.pdf
sidecar emit done --state failed 'no such branch'`

const emitExits = `0    told
1    the sidecar did not take it, for instance because the task has ended
2    the command line is wrong
4    no sidecar there
125  a file cannot be read`

func newEmit(std Std) *cobra.Command {
	c := &cobra.Command{
		Use:         "emit COMMAND",
		Short:       "Report status, artifacts, usage or the end of the task",
		Long:        emitText,
		Example:     emitExamples,
		Annotations: map[string]string{exitCodes: emitExits},
		Args:        cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(c.CommandPath(), "say what: status, artifact, done, usage or hook")
			}
			return unknownCommand(c, args[0])
		},
	}
	c.AddCommand(newEmitStatus(std), newEmitArtifact(std), newEmitDone(std), newEmitUsage(std), newEmitHook(std))
	for _, sub := range c.Commands() {
		if sub.Annotations == nil {
			sub.Annotations = map[string]string{exitCodes: emitExits}
		}
	}
	return c
}

func newEmitStatus(std Std) *cobra.Command {
	progress := ""
	var part partFlags
	var extra extraFlags
	c := &cobra.Command{
		Use:     "status [flags] TEXT...",
		Short:   "Say what is being done; the task goes on",
		Example: "sidecar emit status 'reading the tests'\nsidecar emit status --progress 0.25",
		RunE: func(c *cobra.Command, args []string) error {
			n, err := optionalFloat(c, "progress", progress)
			if err != nil {
				return err
			}
			s := channel.Status{Text: strings.Join(args, " "), Progress: n}
			if s.Parts, err = part.read(c); err != nil {
				return err
			}
			if s.Metadata, s.Extensions, err = extra.read(c); err != nil {
				return err
			}
			if n == nil && strings.TrimSpace(s.Text) == "" && len(s.Parts) == 0 && len(s.Metadata) == 0 {
				return usagef(c.CommandPath(), "TEXT is missing")
			}
			return withChannel(c.Context(), std, func(client *channel.Client) error {
				return channelError(client.Status(c.Context(), s))
			})
		},
		DisableFlagsInUseLine: true,
	}
	c.Flags().StringVar(&progress, "progress", "", "`N` how far it is, in a measure of your own")
	part.add(c)
	extra.add(c, "the status")
	return c
}

func newEmitDone(std Std) *cobra.Command {
	var d channel.Done
	state := ""
	var part partFlags
	var extra extraFlags
	c := &cobra.Command{
		Use:     "done [flags] [TEXT...]",
		Short:   "End the task",
		Long:    "End the task, with TEXT as its answer. The first done counts.",
		Example: "sidecar emit done 'all tests pass'\nsidecar emit done --state failed 'no such branch'",
		RunE: func(c *cobra.Command, args []string) (err error) {
			if d.State, err = doneState(c, state); err != nil {
				return err
			}
			if d.Parts, err = part.read(c); err != nil {
				return err
			}
			if d.Metadata, d.Extensions, err = extra.read(c); err != nil {
				return err
			}
			d.Text = strings.Join(args, " ")
			return withChannel(c.Context(), std, func(client *channel.Client) error {
				return channelError(client.Done(c.Context(), d))
			})
		},
		DisableFlagsInUseLine: true,
	}
	c.Flags().StringVar(&state, "state", "completed", "`S` completed, failed, canceled, rejected, input-required or auth-required")
	c.Flags().BoolVar(&d.Message, "message", false, "answer with a bare message instead of a task")
	part.add(c)
	extra.add(c, "the answer")
	return c
}

// doneState reads a state as people write it.
func doneState(c *cobra.Command, s string) (a2a.TaskState, error) {
	for _, state := range []a2a.TaskState{
		a2a.StateCompleted, a2a.StateFailed, a2a.StateCanceled, a2a.StateRejected, a2a.StateInputRequired, a2a.StateAuthRequired,
	} {
		if s == stateName(state) || s == string(state) {
			return state, nil
		}
	}
	return "", usagef(c.CommandPath(), "--state %q is not known; write completed, failed, canceled, rejected, input-required or auth-required", s)
}

func newEmitUsage(std Std) *cobra.Command {
	var u channel.Usage
	var in, out, cost string
	c := &cobra.Command{
		Use:     "usage",
		Short:   "Report what the turn has cost so far",
		Example: "sidecar emit usage --input-tokens 1200 --output-tokens 80 --cost-usd 0.004 --model m-1",
		Args:    between(0, 0, ""),
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if u.InputTokens, err = optionalInt(c, "input-tokens", in); err != nil {
				return err
			}
			if u.OutputTokens, err = optionalInt(c, "output-tokens", out); err != nil {
				return err
			}
			if u.CostUSD, err = optionalFloat(c, "cost-usd", cost); err != nil {
				return err
			}
			if u == (channel.Usage{}) {
				return usagef(c.CommandPath(), "say at least one of --input-tokens, --output-tokens, --cost-usd and --model")
			}
			return withChannel(c.Context(), std, func(client *channel.Client) error {
				return channelError(client.Usage(c.Context(), u))
			})
		},
	}
	c.Flags().StringVar(&in, "input-tokens", "", "`N` tokens read")
	c.Flags().StringVar(&out, "output-tokens", "", "`N` tokens written")
	c.Flags().StringVar(&cost, "cost-usd", "", "`X` cost in US dollars")
	c.Flags().StringVar(&u.Model, "model", "", "`NAME` of the model")
	return c
}

// optionalInt returns the value of a flag, nil if the flag was not given.
func optionalInt(c *cobra.Command, name, s string) (*int64, error) {
	if !c.Flags().Changed(name) {
		return nil, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return nil, usagef(c.CommandPath(), "--%s %q is not a whole number from 0 up", name, s)
	}
	return &n, nil
}

// optionalFloat returns the value of a flag, nil if the flag was not given.
func optionalFloat(c *cobra.Command, name, s string) (*float64, error) {
	if !c.Flags().Changed(name) {
		return nil, nil
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= 0 && x <= 1e300) {
		return nil, usagef(c.CommandPath(), "--%s %q is not a number from 0 up", name, s)
	}
	return &x, nil
}
