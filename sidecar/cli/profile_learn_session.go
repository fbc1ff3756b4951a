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

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/learn"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/autodetect"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/tui"
)

const (
	learnRest  = 1500 * time.Millisecond // an answer's screen must be still, longer than in a session: nobody waits
	learnKey   = 700 * time.Millisecond  // a key may take to empty the input
	learnGrace = 2 * time.Second         // the agent may take to end
)

// learning is a terminal with an agent that is learnt. The driver of sessions speaks to the agent,
// so what is learnt here is what a session learns.
type learning struct {
	log     io.Writer
	limit   time.Duration
	host    *proc.Host
	pty     *tty.Terminal
	console *console.Console
	driver  *tui.Driver
	learner *learn.Learner // what it has learnt up to the last answer that could be told
	tasks   *task.Registry
	said    int
	stop    context.CancelFunc
	running sync.WaitGroup
}

// start starts the agent as a session does.
func (s *learning) start(ctx context.Context, env []string, size tty.Size, argv []string) error {
	s.host = proc.NewHost(proc.HostOptions{})
	pty, err := tty.Start(s.host, proc.Command{Argv: argv, Env: learnEnv(env), Grace: learnGrace}, size)
	if err != nil {
		s.host.Close()
		return startError(err)
	}
	s.pty = pty
	unknown := *profile.Generic()
	unknown.Timing.RestHold = learnRest
	s.console = console.New(console.Options{
		Log: slog.New(slog.DiscardHandler), TTY: pty, PID: pty.Child().PID(), Profile: &unknown, Size: size,
		Waits: waits.Of(pty.Child().PID()).Look,
	})
	s.driver = tui.New(tui.Options{Headless: true, ReadyTimeout: s.limit}, s.console)
	s.tasks = task.NewRegistry(task.Options{})
	ctx, s.stop = context.WithCancel(ctx)
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
	s.driver.Close()
	s.pty.Child().Stop()
	s.stop()
	s.running.Wait()
	s.tasks.Close()
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

// within returns a context for one step of the conversation. Its cause tells what took too long, or
// that the agent has ended.
func (s *learning) within(ctx context.Context, what string) (context.Context, func()) {
	ctx, stop := context.WithTimeoutCause(ctx, s.limit, fmt.Errorf("%s within %s", what, s.limit))
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	s.running.Go(func() {
		select {
		case <-s.pty.Child().Exited():
			cancel(errAgentEnded)
		case <-ended:
		}
	})
	return ctx, func() { close(ended); cancel(nil); stop() }
}

// ready waits until the agent takes a message. It does not wait for one that asks something.
func (s *learning) ready(ctx context.Context) error {
	ctx, done := s.within(ctx, "the agent was not ready for a message")
	defer done()
	asks, asking := make(chan struct{}), make(chan struct{})
	waiting, stop := context.WithCancel(ctx)
	go func() { // waited for below
		defer close(asking)
		if s.console.Until(waiting, s.asks) == nil {
			close(asks)
		}
	}()
	err := s.driver.Ready(ctx, asks, s.limit, func(string) {})
	stop()
	<-asking
	if err != nil {
		return err
	}
	return context.Cause(ctx)
}

// asks reports whether the agent asks something that can be read.
func (s *learning) asks(v console.Observation) bool {
	_, ok := profile.Generic().Question(v.Screen)
	return ok && (v.Verdict.State == profile.Asking || v.Verdict.State == profile.Dialogue)
}

// say says something. The driver learns from it.
func (s *learning) say(ctx context.Context, message string) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	if err := s.draws(); err != nil && s.said == 0 {
		return err
	}
	s.console.SetDrawing(true)
	if q, ok := profile.Generic().Question(s.console.Snapshot()); ok {
		return fmt.Errorf("the agent asks something before it takes a message: %s", q.Text)
	}
	s.said++
	fmt.Fprintf(s.log, "sidecar: said %q, and waits for the answer\n", printable(message))
	ctx, done := s.within(ctx, "the answer did not come to its end")
	defer done()
	l := s.driver.Learner() // a failure makes the driver learn anew
	t := s.tasks.Create("", "", &a2a.Message{Parts: []a2a.Part{a2a.TextPart(message)}}, nil)
	o := s.driver.Deliver(ctx, &rehearsal{task: t, text: message, over: context.WithoutCancel(ctx)})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case o.State != a2a.StateCompleted:
		return errors.New(o.Text)
	case !l.Echoed():
		return errors.New("after Enter, the message did not leave the input and appear above it: the answer cannot be told from the rest")
	}
	s.learner = l
	return nil
}

// draws returns an error if the agent does not draw its screen.
func (s *learning) draws() error {
	mode, err := s.pty.Mode()
	if err != nil || autodetect.Draws(s.console.Look(), mode) {
		return err
	}
	return errors.New("the agent prints lines and draws no screen: it needs no profile; run it with sidecar run -- COMMAND")
}

// clear finds the key that empties the input, with a text that is never sent.
func (s *learning) clear(ctx context.Context) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	const draft = "never sent"
	l := s.learner
	l.Before(s.console.Snapshot())
	if err := s.key(ctx, draft); err != nil || !l.Typed(s.console.Snapshot(), draft) {
		return err
	}
	for _, key := range []string{"\x15", "\x1b"} { // Ctrl-C ends some agents
		if err := s.key(ctx, key); err != nil || l.Cleared(s.console.Snapshot(), key) {
			return err
		}
	}
	return nil
}

// key types something, and waits until the agent has drawn what it makes of it.
func (s *learning) key(ctx context.Context, keys string) error {
	if _, err := s.pty.Type(ctx, keys); err != nil {
		return err
	}
	drawn := time.NewTimer(learnKey)
	defer drawn.Stop()
	select {
	case <-drawn.C:
		return nil
	case <-s.pty.Child().Exited():
		return errAgentEnded
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
