package turn

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
)

// The values of Options.GiveTools.
const (
	GiveOff  = config.GiveOff  // the agent is started as it is
	GiveAuto = config.GiveAuto // an agent that cannot be given tools is started without
	GiveOn   = config.GiveOn   // an agent that cannot be given tools is not started
)

// ToolsStatus says whether the process of the agent that was started last was given our
// tools.
type ToolsStatus struct {
	Given bool
	Why   string // the reason why not
}

// Tools returns whether the agent is given our tools; nil means that nobody wants that, or
// that no process was started yet.
func (r *Runner) Tools() *ToolsStatus { return r.given.Load() }

// launch describes a process that is about to be started.
func (r *Runner) launch(argv, env []string, token string, files *job.Folder) spec.Launch {
	l := spec.Launch{
		Argv: argv, Env: env, WorkDir: r.o.Dir, Token: token, Person: r.o.Person != nil, Self: r.o.Self, ToolTime: r.o.ToolTime,
	}
	if r.o.Channel != nil {
		l.Socket = r.o.Channel.Path()
		if r.strict() { // the path leads nowhere in a sandbox
			l.Socket = cmp.Or(spec.Getenv(env, socketName), l.Socket)
		}
	}
	if files != nil {
		l.Dir, l.Write, l.Protect = files.Dir(), files.Write, files.Protect
	}
	return l
}

// taker returns the agent that is given tools: that of its hooks, else that of its command.
func (r *Runner) taker() spec.Agent {
	if r.profile != nil && r.profile.Hook != "" {
		return agent.Named(r.profile.Hook)
	}
	return r.o.known()
}

// giveTools says how to start a process of the agent so that it is offered our tools. The
// error is for GiveOn alone; otherwise the agent is started without them.
//
// An agent that is told of MCP servers in its conversations is told of tools there, if there is no
// better way; otherwise tools is nil.
func (r *Runner) giveTools(l spec.Launch) (_ spec.Plan, tools *peer.Server, _ error) {
	if r.o.GiveTools == GiveOff {
		return spec.Plan{Argv: l.Argv, Env: l.Env}, nil, nil
	}
	taker := r.taker()
	plan, err := taker.GiveTools(l)
	if err != nil && r.o.Mode == ModeACP && !errors.Is(err, spec.ErrOwnServer) {
		if tools, err = server(&l); err != nil {
			err = fmt.Errorf("%s is not given tools: %w", filepath.Base(r.o.Command[0]), err)
		}
	}
	if errors.Is(err, spec.ErrCannotTake) {
		err = fmt.Errorf("%s is not given tools: it is not known how; it is known of %s; another agent needs sidecar mcp in its configuration", filepath.Base(r.o.Command[0]), strings.Join(agent.WithTools(), ", "))
	}
	status := &ToolsStatus{Given: err == nil}
	if err != nil {
		status.Why = err.Error()
	}
	before := r.given.Swap(status)
	switch known := before != nil && *before == *status; {
	case err != nil && r.o.GiveTools == GiveOn:
		return plan, nil, fmt.Errorf("--give-tools: %w", err)
	case err != nil && !known:
		r.o.Log.Warn("the agent works without the sidecar's tools", "error", err)
	case err == nil && !known:
		r.o.Log.Info("the agent is given the sidecar's tools, as those of an MCP server", "server", spec.ServerName)
	}
	return plan, tools, nil
}

// server describes our tools as a program that the agent starts.
func server(l *spec.Launch) (*peer.Server, error) {
	argv, err := l.Server()
	if err != nil {
		return nil, err
	}
	return &peer.Server{Name: spec.ServerName, Argv: argv}, nil
}

// equip changes the command of a process that runs once as its mode wants it, with our tools if it is given
// them. release must be called when the process has ended.
func (r *Runner) equip(files *job.Folder, token string, c *proc.Command) (release func(), err error) {
	cell, err := r.cell(token, files, c.Env)
	if err != nil {
		return nil, err
	}
	if c.Argv, c.Env, err = r.start(files, token, c.Argv, cell.environ(c.Env)); err != nil {
		cell.close()
		return nil, err
	}
	c.Sandbox = cell.box()
	return cell.close, nil
}

// start says how to start a process that runs once.
func (r *Runner) start(files *job.Folder, token string, argv, env []string) (newArgv, newEnv []string, err error) {
	if r.speech != nil {
		known := r.o.known()
		plan, err := known.Start(r.launch(argv, env, token, files), r.speech.plan)
		if err != nil {
			return nil, nil, fmt.Errorf("--mode %s: %w", r.o.Mode, err)
		}
		argv, env = plan.Argv, plan.Env
	}
	plan, _, err := r.giveTools(r.launch(argv, env, token, files))
	if err == nil {
		plan, err = r.govern(r.launch(plan.Argv, plan.Env, token, files))
	}
	return plan.Argv, plan.Env, err
}

// tryTools finds out, before any turn comes, whether a process that runs once can be started as
// its mode wants it, and be given tools. Without tools is an error for GiveOn alone.
func (r *Runner) tryTools() (err error) {
	if r.o.GiveTools == GiveOff && r.speech == nil {
		return nil
	}
	files, err := r.jobs.Folder("tools-" + a2a.NewID())
	switch {
	case err == nil:
		defer func() { err = errors.Join(err, files.Remove()) }()
	case r.o.GiveTools != GiveOff:
		return fmt.Errorf("--give-tools: there is no folder: %w", err)
	default:
		files = nil
	}
	release, err := r.equip(files, a2a.NewID(), &proc.Command{Argv: r.o.Command, Env: r.env})
	if err == nil {
		release()
	}
	return err
}
