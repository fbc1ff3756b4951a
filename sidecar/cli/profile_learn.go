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

const profileLearnText = `Talk to an agent and write a profile for it: where its input is, how it shows messages
and answers, what it shows only while it works, and which key clears the input.
Anything uncertain is printed to stderr and stored as "unsure". Read the profile,
correct it, and use it: sidecar run --profile FILE -- COMMAND.

The agent must draw its screen and start without a dialog. It gets the messages like
any others, and so does its model. Without --message it is asked for a short answer,
a longer one and a short one, because each turn confirms what the one before showed.`

const profileLearnExamples = `sidecar profile learn --out mine.json -- myagent
sidecar profile learn --message 'Say hello.' --message 'Count to 30.' -- myagent --model x`

const profileLearnExits = `0    the profile was written
1    nothing was learnt: no input was found, or the agent ended
2    the command line is wrong
125  the file exists, or cannot be written
126  the command cannot be run
127  there is no such command`

// learnMessages are sent without --message. They ask for a short answer, a longer one and
// a short one.
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
	force    bool
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
			if len(o.messages) > len(learnMessages) {
				return usagef(c.CommandPath(), "give at most three --message")
			}
			if err := o.checkOut(); err != nil {
				return err
			}
			ctx, stop := untilInterrupt(c.Context())
			defer stop()
			return o.run(ctx, size, args)
		},
	}
	c.Flags().SetInterspersed(false)
	c.Flags().StringArrayVarP(&o.messages, "message", "m", nil, "`TEXT` to send; repeatable, at most three (three messages of its own)")
	c.Flags().StringVar(&o.out, "out", "", "`FILE` to write (standard output)")
	c.Flags().BoolVar(&o.force, "force", false, "replace FILE if it exists")
	c.Flags().StringVar(&o.size, "size", "120x40", "`COLSxROWS` of the terminal (120x40)")
	c.Flags().DurationVar(&o.limit, "timeout", 2*time.Minute, "`D` wait at most this long for the start, and for each answer (2m)")
	return c
}

// learnSize parses --size.
func learnSize(s string) (size tty.Size, err error) {
	n, err := fmt.Sscanf(s, "%dx%d", &size.Cols, &size.Rows)
	if err != nil || n != 2 || fmt.Sprintf("%dx%d", size.Cols, size.Rows) != s || size.Cols < 20 || size.Rows < 5 {
		return size, fmt.Errorf("--size %q is not a terminal size (at least 20x5), for example 120x40", s)
	}
	return size, nil
}

func (o *learnOptions) run(ctx context.Context, size tty.Size, argv []string) error {
	messages := o.messages
	if len(messages) == 0 {
		messages = learnMessages
	}
	s := &learning{log: o.std.Err, limit: o.limit}
	if err := s.start(ctx, o.std.Env, size, argv); err != nil {
		return err
	}
	defer s.close()
	for _, text := range messages {
		if err := s.say(ctx, text); err != nil {
			if s.learner == nil || ctx.Err() != nil {
				return &exitError{code: exitFailed, err: err}
			}
			fmt.Fprintf(o.std.Err, "sidecar: %s; the profile has only what was learnt before\n", printable(err.Error()))
			break
		}
	}
	if err := s.clear(ctx); err != nil {
		fmt.Fprintf(o.std.Err, "sidecar: %s: which key empties the input was not learnt\n", printable(err.Error()))
	}
	name := strings.TrimSuffix(filepath.Base(argv[0]), filepath.Ext(argv[0]))
	f := s.learner.File(name)
	f.Extends = profile.GenericName
	f.Commands = []string{filepath.Base(argv[0])}
	f.About = fmt.Sprintf("Learnt from `%s` in a terminal of %dx%d on %s.", printable(strings.Join(argv, " ")), size.Cols, size.Rows, time.Now().Format(time.DateOnly))
	for _, what := range f.Unsure {
		fmt.Fprintf(o.std.Err, "unsure: %s\n", printable(what))
	}
	return o.write(f.JSON())
}

// checkOut finds out whether the profile can be written to --out, before the agent is
// asked anything.
func (o *learnOptions) checkOut() error {
	if o.out == "" {
		return nil
	}
	if dir, err := os.Stat(filepath.Dir(o.out)); err != nil || !dir.IsDir() {
		return &exitError{code: exitFault, err: fmt.Errorf("%s cannot be written: there is no folder %s", o.out, filepath.Dir(o.out))}
	}
	if _, err := os.Lstat(o.out); err == nil && !o.force {
		return o.exists()
	}
	return nil
}

func (o *learnOptions) exists() error {
	return &exitError{code: exitFault, err: fmt.Errorf("%s exists already", o.out), hint: "--force replaces it"}
}

// write writes the profile to --out. If that fails, the profile goes to standard output,
// because an agent was asked for it.
func (o *learnOptions) write(profile []byte) error {
	if o.out == "" {
		_, err := o.std.Out.Write(profile)
		return err
	}
	mode := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if o.force {
		mode = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(o.out, mode, 0o644)
	if err == nil {
		_, err = f.Write(profile)
		err = errors.Join(err, f.Close())
	}
	if err == nil {
		return nil
	}
	_, shown := o.std.Out.Write(profile)
	if errors.Is(err, os.ErrExist) && shown == nil {
		return o.exists()
	}
	return &exitError{code: exitFault, err: errors.Join(err, shown)}
}
