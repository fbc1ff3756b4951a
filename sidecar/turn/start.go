package turn

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/autodetect"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/line"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/tui"
)

// findProfile is what is known of the agent's terminal: by name or file, else by
// its command.
func findProfile(o Options) (*profile.Profile, error) {
	switch {
	case o.Mode != ModePTY:
		return nil, nil
	case o.Profile == "":
		return agent.For(o.Command), nil
	}
	p, err := agent.Load(o.Profile)
	if err != nil {
		return nil, fmt.Errorf("--profile: %w", err)
	}
	return p, nil
}

// startSession starts the agent's process. The error is a *proc.StartError
// when it is the command's fault.
func (r *Runner) startSession(name string) (*session, error) {
	s := &session{r: r, name: name, offered: make(chan struct{}), started: r.now()}
	if err := s.start(); err != nil {
		if s.terminal != nil {
			s.child.Kill()
			s.terminal.Output(nil) // which lets its files go
		}
		s.release()
		return nil, err
	}
	return s, nil
}

// start is what startSession does with a new session.
func (s *session) start() (err error) {
	r := s.r
	s.place()
	token := a2a.NewID()
	if r.o.Channel != nil {
		s.grant = r.o.Channel.GrantProcess(s)
		token = s.grant.Token()
	}
	plan, hooked := s.plan(token)
	s.terminal, err = proc.StartTerminal(r.o.Host, proc.Command{
		Argv: plan.Argv, Env: plan.Env, Dir: r.o.Dir, User: r.o.User, Marker: marker(token), Grace: r.o.CancelGrace,
	}, r.o.Size)
	if err != nil {
		return err
	}
	s.child = s.terminal.Child()
	if s.grant != nil {
		s.grant.Started(s.child)
	}
	s.log = r.o.Log.With("pid", s.child.PID())
	untypable := r.profile.Untypable(plan.Argv, plan.Env)
	if untypable != "" {
		s.log.Warn("no message can be typed to the agent", "reason", untypable)
	}
	if err = s.open(hooked, untypable); err != nil {
		return err
	}
	s.life, s.end = context.WithCancelCause(r.life)
	s.watched, s.unwatch = context.WithCancel(r.life)
	s.wg.Go(func() { s.console.Run(s.life) })
	s.wg.Go(s.pump)
	s.wg.Go(s.guard)
	s.wg.Go(s.hangUp)
	if s.person != nil {
		s.wg.Go(s.tellPerson)
	}
	if plan.Source != nil {
		s.wg.Go(func() { s.follow(plan) })
	}
	return nil
}

// open makes what reads the terminal of a process that has just been started,
// and lets the person in.
func (s *session) open(hooked bool, untypable string) error {
	r, t := s.r, s.terminal
	record, err := r.newRecorder()
	if err != nil {
		return err
	}
	c := console.New(console.Options{
		Log: s.log, TTY: t, PID: s.child.PID(), Profile: r.profile, Size: r.o.Size,
		Person: r.o.Person != nil, Record: record, Now: r.o.Now, Untypable: untypable,
	})
	s.screen = newScreen(r.o, c, hooked)
	s.mu.Lock()
	s.console = c
	s.mu.Unlock()
	t.OnResize(func(size proc.Size) {
		c.Resize(size)
		s.screen.Resize(size)
	})
	s.screen.Sit(t.Desk())
	if r.o.Person != nil {
		s.person, err = r.o.Person(t)
	}
	return err
}

// screen is a driver that types into a terminal and reads what it shows. A
// model of the whole screen can take the place of this one.
type screen interface {
	driver.Live
	// Resize follows the terminal's size.
	Resize(s proc.Size)
	// Sit says where people sit who type into the terminal, before anything is
	// typed.
	Sit(d *proc.Desk)
}

// newScreen chooses the driver for a terminal. A program of which nothing is
// known shows by itself which it is.
func newScreen(o Options, c *console.Console, hooked bool) screen {
	drawn := tui.New(tui.Options{
		Hooked: hooked, ReadyTimeout: o.ReadyTimeout, Quiet: o.Quiet, AskTimeout: o.AskTimeout, Headless: o.Headless,
		ToolPrompt: o.ToolPrompt, AllowAgentCommands: o.AllowAgentCommands,
	}, c)
	lines := line.Options{
		Width: int(o.Size.Cols), PromptPattern: o.PromptPattern, StartQuiet: o.StartQuiet, Quiet: o.Quiet,
		ToolPrompt: o.ToolPrompt, AllowAgentCommands: o.AllowAgentCommands,
	}
	switch {
	case c.Profile.TUI:
		return drawn
	case c.Profile.Name == profile.GenericName:
		return autodetect.New(c, drawn, lines)
	}
	return line.New(lines, c, drawn)
}

// hooks reports whether the agent is started so that it reports.
func (r *Runner) hooks() bool { return !r.o.NoHooks && r.profile.Hook != "" }

// plan is the command and the environment of the session's process: what the
// user gave, with what the profile and the agent's hooks want. hooked says that
// the agent will report.
func (s *session) plan(token string) (plan spec.Plan, hooked bool) {
	r := s.r
	env := r.env.sidecar(token)
	if s.files != nil {
		env = append(env, "SIDECAR_MESSAGE_FILE="+s.files.path(messageFile), "SIDECAR_OUTBOX="+s.files.path(outbox))
	}
	if tmp := s.scratch(); tmp != "" {
		env = append(without(env, "TMPDIR"), "TMPDIR="+tmp)
	}
	env = append(env, r.profile.Environ()...)
	plan = spec.Plan{Argv: r.profile.Args(r.o.Command, r.o.Person != nil), Env: env}
	if !r.hooks() {
		return plan, false
	}
	o := spec.Launch{
		Argv: plan.Argv, Env: plan.Env, WorkDir: r.o.Dir, Token: token, Person: r.o.Person != nil, Self: r.o.Self,
	}
	if r.o.Channel != nil {
		o.Socket = r.o.Channel.Path()
	}
	if s.files != nil {
		o.Dir, o.Write = s.files.dir, s.files.write
	}
	hooks := agent.Named(r.profile.Hook)
	plan, err := hooks.Prepare(o)
	if err != nil { // the plan is good without them
		r.o.Log.Warn("the agent's state is read from its screen only", "error", err)
	}
	return plan, plan.Source != nil || s.grant != nil
}

// without is an environment without a variable.
func without(env []string, name string) []string {
	kept := env[:0:0]
	for _, v := range env {
		if !strings.HasPrefix(v, name+"=") {
			kept = append(kept, v)
		}
	}
	return kept
}

// follow reads what the agent says by itself as long as it lives.
func (s *session) follow(plan spec.Plan) {
	err := plan.Source(s.life, func(r channel.Report) { _ = s.Report(r) }) // never fails
	if err != nil && s.life.Err() == nil {
		s.log.Warn("the agent's events cannot be read any more; its screen still is", "error", err)
	}
}

// newRecorder makes the file of a new session's recording, nil when none is
// wanted. Every session has its own: FILE, then FILE-2 and so on before the
// extension.
func (r *Runner) newRecorder() (*term.Recorder, error) {
	if r.o.Record == "" {
		return nil, nil
	}
	path := r.o.Record
	if n := r.recorded.Add(1); n > 1 {
		ext := filepath.Ext(path)
		path = strings.TrimSuffix(path, ext) + "-" + strconv.FormatInt(n, 10) + ext
	}
	rec, err := term.NewRecorder(path, term.RecorderOptions{
		Cols: int(r.o.Size.Cols), Rows: int(r.o.Size.Rows), Command: strings.Join(r.o.Command, " "), Now: r.o.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	return rec, nil
}

// closeRecord ends the session's recording.
func (s *session) closeRecord() {
	if s.console == nil {
		return
	}
	var exit *int
	if e := (*driver.EndedError)(nil); s.life != nil && errors.As(context.Cause(s.life), &e) {
		status := e.Exit.Status()
		exit = &status
	}
	if err := s.console.CloseRecord(exit); err != nil {
		s.r.o.Log.Warn("the recording is not whole", "error", err)
	}
}
