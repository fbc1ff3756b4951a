package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/learn"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/autodetect"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// How long the screen of an agent that is learnt must be still: before the first message,
// once a message stands in its input, after a key, and after an answer with and without
// a sign of its end.
const (
	learnStart  = 3 * time.Second
	learnEcho   = 400 * time.Millisecond
	learnKey    = 700 * time.Millisecond
	learnRest   = 1500 * time.Millisecond
	learnSilent = 6 * time.Second
	learnShown  = 5 * time.Second // a message may take to appear
	learnGrace  = 2 * time.Second // the agent may take to end
)

// learning is a terminal with an agent that is learnt.
type learning struct {
	log     io.Writer
	limit   time.Duration
	host    *proc.Host
	pty     *tty.Terminal
	console *console.Console
	learner learn.Learner
	said    int
	stop    context.CancelFunc
	running sync.WaitGroup
}

// start starts the agent as a session does.
func (s *learning) start(env []string, size tty.Size, argv []string) error {
	s.host = proc.NewHost(proc.HostOptions{})
	pty, err := tty.Start(s.host, proc.Command{Argv: argv, Env: learnEnv(env), Grace: learnGrace}, size)
	if err != nil {
		s.host.Close()
		return startError(err)
	}
	s.pty = pty
	s.console = console.New(console.Options{
		Log: slog.New(slog.DiscardHandler), TTY: pty, PID: pty.Child().PID(), Profile: profile.Generic(), Size: size,
	})
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.running.Go(func() { s.console.Run(ctx) })
	s.running.Go(func() { pty.Output(s.console.Write) })
	return nil
}

// startError gives a command that cannot be run its exit code.
func startError(err error) error {
	code := exitFault
	if e := (*proc.StartError)(nil); errors.As(err, &e) {
		code = e.Code
	}
	return &exitError{code: code, err: err}
}

// close ends the agent.
func (s *learning) close() {
	s.pty.Child().Stop()
	s.stop()
	s.running.Wait()
	s.host.Close()
}

// learnEnv is the environment of the agent: our terminal's.
func learnEnv(env []string) (out []string) {
	for _, v := range env {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "LINES", "COLUMNS", "TERM", "COLORTERM":
		default:
			out = append(out, v)
		}
	}
	return append(out, "TERM=xterm-256color", "COLORTERM=truecolor")
}

var errAgentEnded = errors.New("the agent has ended; run the command in a terminal to see what it needs")

// still waits until the screen has not changed for as long as hold says, which is asked
// at each change.
func (s *learning) still(ctx context.Context, limit time.Duration, hold func() time.Duration) error {
	over := time.NewTimer(limit)
	defer over.Stop()
	for {
		changed := s.console.Look().Changed
		rest := time.NewTimer(hold())
		select {
		case <-changed:
			rest.Stop()
		case <-rest.C:
			return nil
		case <-over.C:
			return fmt.Errorf("the screen did not come to rest within %s", limit)
		case <-s.pty.Child().Exited():
			return errAgentEnded
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func always(d time.Duration) func() time.Duration { return func() time.Duration { return d } }

// draws returns an error if the agent does not draw its screen.
func (s *learning) draws() error {
	mode, err := s.pty.Mode()
	if err != nil || autodetect.Draws(s.console.Look(), mode) {
		return err
	}
	return errors.New("the agent prints lines and draws no screen: it needs no profile; run it with sidecar run -- COMMAND")
}

// say says something and learns from it.
func (s *learning) say(ctx context.Context, message string) error {
	if err := s.still(ctx, s.limit, always(learnStart)); err != nil {
		return err
	}
	if err := s.draws(); err != nil && s.said == 0 {
		return err
	}
	if q, ok := profile.Generic().Question(s.console.Snapshot()); ok {
		return fmt.Errorf("the agent asks something before it takes a message: %s", q.Text)
	}
	s.learner.Before(s.console.Snapshot())
	if err := s.enter(ctx, message); err != nil {
		return err
	}
	if s.said == 0 {
		if err := s.clear(ctx, message); err != nil {
			return err
		}
	}
	s.said++
	fmt.Fprintf(s.log, "sidecar: said %q, and waits for the answer\n", printable(message))
	if err := s.key(ctx, "\r"); err != nil {
		return err
	}
	if err := s.answered(ctx); err != nil {
		return err
	}
	s.learner.Rests(s.console.Snapshot())
	if !s.learner.Echoed() {
		return errors.New("the message was not seen to leave the input and to stand in what was said")
	}
	return nil
}

// answered waits until the agent rests.
func (s *learning) answered(ctx context.Context) error {
	works := func(hold time.Duration) error {
		return s.still(ctx, s.limit, func() time.Duration {
			s.learner.Works(s.console.Snapshot())
			return hold
		})
	}
	for {
		if err := works(learnRest); err != nil {
			return err
		}
		at := s.console.Snapshot()
		if s.learner.Moved(at) {
			return nil
		}
		if err := works(learnSilent - learnRest); err != nil || s.console.Snapshot().Generation == at.Generation {
			return err
		}
	}
}

// enter types a message without its Enter, and waits until it stands there.
func (s *learning) enter(ctx context.Context, message string) error {
	keys := message
	if mode, err := s.pty.Mode(); s.console.Snapshot().Modes.BracketedPaste && (err != nil || !mode.Canonical) {
		keys = "\x1b[200~" + message + "\x1b[201~"
	}
	if err := s.key(ctx, keys); err != nil {
		return err
	}
	seen := false
	err := s.still(ctx, learnShown, func() time.Duration {
		seen = s.learner.Typed(s.console.Snapshot(), message)
		if seen {
			return learnEcho
		}
		return learnShown
	})
	if !seen {
		return fmt.Errorf("the message did not appear on the screen within %s: no input was found", learnShown)
	}
	return err
}

// clear tries which key empties the input, and types the message again.
func (s *learning) clear(ctx context.Context, message string) error {
	for _, key := range []string{"\x15", "\x1b"} { // Ctrl-C ends some agents
		if err := s.key(ctx, key); err != nil {
			return err
		}
		if err := s.still(ctx, s.limit, always(learnKey)); err != nil {
			return err
		}
		if s.learner.Cleared(s.console.Snapshot(), key) {
			return s.enter(ctx, message)
		}
	}
	return nil
}

func (s *learning) key(ctx context.Context, keys string) error {
	_, err := s.pty.Type(ctx, keys)
	return err
}
