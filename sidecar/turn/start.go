package turn

import (
	"context"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
)

// findProfile returns the profile of the agent's terminal, if the agent has one: by
// name or file, else by its command.
func findProfile(o Options) (*profile.Profile, error) {
	switch {
	case o.Mode == ModeOneshot:
		return nil, nil
	case o.Mode != ModePTY:
		return &profile.Profile{}, nil
	case o.Profile == "":
		return agent.For(o.Command), nil
	}
	p, err := agent.Load(o.Profile)
	if err != nil {
		return nil, fmt.Errorf("--profile: %w", err)
	}
	return p, nil
}

// startSession starts the agent's process. The error is a *proc.StartError if the
// command is the cause.
//
// conversation is the one that the process is to resume, if it holds only one; "" for a new one.
func (r *Runner) startSession(name, conversation string) (*session, error) {
	s := &session{r: r, name: name, conversation: conversation, offered: make(chan struct{}), listed: make(chan struct{}), started: r.now()}
	if err := s.start(); err != nil {
		if s.child != nil {
			s.child.Kill()
			s.body.abandon()
		}
		s.release()
		return nil, err
	}
	return s, nil
}

// start starts a new session for startSession.
func (s *session) start() (err error) {
	r := s.r
	if err := r.BrokenBy(); err != nil {
		return err
	}
	s.place()
	token := a2a.NewID()
	if r.o.Channel != nil {
		s.grant = r.o.Channel.GrantProcess(s)
		token = s.grant.Token()
	}
	plan, hooked, err := s.plan(token)
	if err != nil {
		return err
	}
	s.body = bodies[r.o.Mode](s)
	s.child, err = s.body.start(proc.Command{
		Argv: plan.Argv, Env: plan.Env, Dir: r.o.Dir, User: r.o.User, Marker: job.Marker(token), Grace: r.o.CancelGrace, Sandbox: s.cell.box(),
	})
	if err != nil {
		return err
	}
	if s.grant != nil {
		s.grant.Started(s.child)
	}
	s.log = r.o.Log.With("pid", s.child.PID())
	if err = s.body.open(plan, hooked); err != nil {
		return err
	}
	s.mu.Lock()
	s.opened = true
	s.mu.Unlock()
	s.life, s.end = context.WithCancelCause(r.life)
	s.wg.Go(s.pump)
	s.wg.Go(s.guard)
	if plan.Source != nil {
		s.wg.Go(func() { s.follow(plan) })
	}
	return nil
}

// hooks reports whether the agent is started so that its hooks report.
func (r *Runner) hooks() bool { return !r.o.NoHooks && r.profile.Hook != "" }

// plan returns the command and the environment of the session's process: what the
// user gave, with what the profile, the agent's hooks and our tools need. hooked means
// that the agent will report.
func (s *session) plan(token string) (plan spec.Plan, hooked bool, err error) {
	r := s.r
	env := r.jobs.Environ(r.env, token, s.files)
	if tmp := s.tempDir(); tmp != "" {
		env = append(without(env, "TMPDIR"), "TMPDIR="+tmp)
	}
	env = append(env, r.profile.Environ()...)
	if s.cell, err = r.cell(token, s.files, env); err != nil {
		return plan, false, err
	}
	env = s.cell.environ(env)
	plan = spec.Plan{Argv: r.profile.Args(r.o.Command, r.o.Person != nil), Env: env}
	if r.hooks() {
		hooks := agent.Named(r.profile.Hook)
		if plan, err = hooks.Prepare(r.launch(plan.Argv, plan.Env, token, s.files)); err != nil { // the plan works without hooks
			r.o.Log.Warn("the agent's state is read from its screen only", "error", err)
		}
		hooked = plan.Source != nil || s.grant != nil
	}
	if r.speech != nil {
		l := r.launch(plan.Argv, plan.Env, token, s.files)
		l.Conversation = s.conversation
		known := r.o.known()
		if plan, err = known.Start(l, r.speech.plan); err != nil {
			return plan, false, fmt.Errorf("--mode %s: %w", r.o.Mode, err)
		}
	}
	with, tools, err := r.giveTools(r.launch(plan.Argv, plan.Env, token, s.files))
	if err != nil {
		return plan, false, err
	}
	s.tools = tools
	if with, err = r.govern(r.launch(with.Argv, with.Env, token, s.files)); err != nil {
		return plan, false, err
	}
	plan.Argv, plan.Env = with.Argv, with.Env
	return plan, hooked, nil
}

// without returns an environment without a variable.
func without(env []string, name string) []string {
	kept := env[:0:0]
	for _, v := range env {
		if !strings.HasPrefix(v, name+"=") {
			kept = append(kept, v)
		}
	}
	return kept
}

// follow reads what the agent reports by itself, as long as it lives.
func (s *session) follow(plan spec.Plan) {
	err := plan.Source(s.life, func(r channel.Report) { _ = s.Report(r) }) // never fails
	if err != nil && s.life.Err() == nil {
		s.log.Warn("the agent's events cannot be read any more; its screen still is", "error", err)
	}
}
