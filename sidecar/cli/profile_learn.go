package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

const profileLearnText = `Start an agent that draws its screen, say something to it, and write what was learnt
as a profile: where its input is and what stands there while nothing is typed, how a
message is shown once it was sent, what stands on the screen only while it works, how
an answer looks, and which key empties the input. What is not sure is told on standard
error, and stands in the file as "unsure". Read it, mend it, and run the agent with it:
sidecar run --profile FILE -- COMMAND.

The messages go to the agent and its model as any others. Without --message they ask for a
short answer, for a longer one, and for a short one again: each confirms what the one before
has shown. The agent must start without a dialog.`

const profileLearnExamples = `sidecar profile learn --out mine.json -- myagent
sidecar profile learn --message 'Say hello.' --message 'Count to 30.' -- myagent --model x`

const profileLearnExits = `0    the profile was written
1    nothing was learnt: no input was found, or the agent ended
2    the command line is wrong
125  the file cannot be written
126  the command cannot be run
127  there is no such command`

// learnMessages ask for a short answer, a longer one, and a short one.
var learnMessages = []string{
	"Please answer with one short sentence: what is a lighthouse?",
	"Please write a paragraph of about a hundred and twenty words about the sea, without a list and without a heading: what it looks like in the morning, at noon and at night.",
	"And one short sentence about harbours, please.",
}

// learnOptions are the flags of profile learn.
type learnOptions struct {
	std      Std
	messages []string
	out      string
	size     string
	limit    time.Duration
}

func newProfileLearn(std Std) *cobra.Command {
	o := &learnOptions{std: std}
	c := &cobra.Command{
		Use:         "learn [flags] -- COMMAND [ARG...]",
		Short:       "Learn a profile by talking to an agent",
		Long:        profileLearnText,
		Example:     profileLearnExamples,
		Annotations: map[string]string{exitCodes: profileLearnExits},
		Args:        between(1, 1<<20, "the COMMAND of an agent"),
		RunE: func(c *cobra.Command, args []string) error {
			size, err := learnSize(o.size)
			if err != nil {
				return usagef(c.CommandPath(), "%w", err)
			}
			ctx, stop := untilInterrupt(c.Context())
			defer stop()
			return o.run(ctx, size, args)
		},
	}
	c.Flags().SetInterspersed(false)
	c.Flags().StringArrayVarP(&o.messages, "message", "m", nil, "`TEXT` to say, up to three times (three of its own)")
	c.Flags().StringVar(&o.out, "out", "", "`FILE` to write (standard output)")
	c.Flags().StringVar(&o.size, "size", "120x40", "`COLSxROWS` of the terminal (120x40)")
	c.Flags().DurationVar(&o.limit, "timeout", 2*time.Minute, "`D` wait at most so long for the start, and for each answer (2m)")
	return c
}

// learnSize reads the size of a terminal.
func learnSize(s string) (size tty.Size, err error) {
	n, err := fmt.Sscanf(s, "%dx%d", &size.Cols, &size.Rows)
	if err != nil || n != 2 || fmt.Sprintf("%dx%d", size.Cols, size.Rows) != s || size.Cols < 20 || size.Rows < 5 {
		return size, fmt.Errorf("--size %q is no size of a terminal; give one such as 120x40", s)
	}
	return size, nil
}

func (o *learnOptions) run(ctx context.Context, size tty.Size, argv []string) error {
	messages := o.messages
	if len(messages) == 0 {
		messages = learnMessages
	}
	if len(messages) > 3 {
		return &exitError{code: exitUsage, err: errors.New("three messages are the most")}
	}
	s := &learning{log: o.std.Err, limit: o.limit}
	if err := s.start(ctx, o.std.Env, size, argv); err != nil {
		return err
	}
	defer s.close()
	for _, text := range messages {
		if err := s.say(ctx, text); err != nil {
			if !s.driver.Learner().HasInput() || ctx.Err() != nil {
				return &exitError{code: exitFailed, err: err}
			}
			fmt.Fprintf(o.std.Err, "sidecar: %s: what was learnt before is written\n", printable(err.Error()))
			break
		}
	}
	if err := s.clear(ctx); err != nil {
		fmt.Fprintf(o.std.Err, "sidecar: %s: which key empties the input was not learnt\n", printable(err.Error()))
	}
	name := strings.TrimSuffix(filepath.Base(argv[0]), filepath.Ext(argv[0]))
	f := s.driver.Learner().File(name)
	f.Extends = profile.GenericName
	f.Commands = []string{filepath.Base(argv[0])}
	f.About = fmt.Sprintf("Learnt from `%s` in a terminal of %dx%d on %s.", printable(strings.Join(argv, " ")), size.Cols, size.Rows, time.Now().Format(time.DateOnly))
	for _, what := range f.Unsure {
		fmt.Fprintf(o.std.Err, "unsure: %s\n", printable(what))
	}
	if o.out == "" {
		_, err := o.std.Out.Write(f.JSON())
		return err
	}
	if err := os.WriteFile(o.out, f.JSON(), 0o644); err != nil {
		return &exitError{code: exitFault, err: err}
	}
	return nil
}
