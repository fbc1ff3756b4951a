package turn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/oneshot"
)

// speech is how an agent is spoken to in messages of a protocol: in the modes acp and stream.
type speech struct {
	// plan says how a process is started for it; nil: as it is.
	plan func(*spec.Launch) (spec.Plan, error)
	// peer makes our end of the connection to a process; nil if there is once.
	peer func(peer.Process) peer.Peer
	// single says that a process holds one conversation, named when it is started.
	single bool
	// once is set if each turn has a process of its own.
	once *spec.Once
}

// known returns what is known of the agent.
func (o *Options) known() spec.Agent {
	if o.Agent != nil {
		return *o.Agent
	}
	return agent.Named(agent.NameFor(o.Command))
}

// findSpeech returns how the agent is spoken to in messages; nil in the modes in which it is not.
func findSpeech(o *Options) (*speech, error) {
	known := o.known()
	switch o.Mode {
	case ModeACP:
		if adapted, ok := agent.Adapted(o.Command); ok && o.Agent == nil {
			known.Explain = adapted.Explain
		} else if known.ACP == nil && len(known.Adapters) > 0 {
			o.Log.Warn(noACP(&known))
		}
		return &speech{plan: known.ACP, peer: func(p peer.Process) peer.Peer {
			p.Explain = known.Explain
			return o.ACP(p)
		}}, nil
	case ModeStream:
	default:
		return nil, nil
	}
	s := known.Stream
	switch {
	case s == nil:
		return nil, noStream(o)
	case s.Once == nil:
		return &speech{plan: s.Plan, peer: s.Peer, single: s.Single}, nil
	case len(o.AgentOptions) > 0:
		return nil, fmt.Errorf("--agent-option: %s takes no options in --mode stream, in which each message is a process of its own; give it flags of its own, after the command", known.Name)
	}
	return &speech{plan: s.Once.Plan, once: s.Once}, nil
}

// conversing says which agent has the conversations: those of another one are not resumed. Its arguments do not
// count: they may be secret, and another model is not another agent.
func conversing(o *Options) string {
	program, _ := profile.Program(o.Command)
	if o.Agent != nil {
		program = o.Agent.Name
	}
	return o.Mode + " " + program
}

// noStream says that the command has no stream, and what is possible.
func noStream(o *Options) error {
	program := filepath.Base(o.Command[0])
	if a, ok := agent.Adapted(o.Command); ok {
		return fmt.Errorf("--mode stream: %s speaks ACP for %s; use --mode acp", program, a.Name)
	}
	return fmt.Errorf("--mode stream: it is not known that %s speaks in messages of its own; it is known of %s. --mode acp is for agents that speak the Agent Client Protocol, and --mode pty for every program",
		program, strings.Join(agent.WithStream(), ", "))
}

// noACP says that an agent speaks ACP by another program, and what to run. It is no error: a release that
// is not known here may speak it.
func noACP(a *spec.Agent) string {
	s := fmt.Sprintf("--mode acp: %s is not known to speak ACP itself: run %s in its place", a.Name, strings.Join(a.Adapters, " or "))
	if a.Stream != nil {
		s += ", or use --mode stream"
	}
	return s
}

// perTurn reports whether each turn has a process of its own.
func perTurn(o *Options, s *speech) bool { return o.Mode == ModeOneshot || s != nil && s.once != nil }

// PerTurn reports whether each turn has a process of its own.
func (r *Runner) PerTurn() bool { return r.sessions == nil }

// program returns how a process for each turn is run.
func (r *Runner) program() oneshot.Options {
	format, create, resume := r.o.OutputFormat, r.o.ThreadCreate, r.o.ThreadResume
	if r.speech != nil {
		format, create, resume = config.FormatStreamJSON, r.speech.once.Create, r.speech.once.Resume
	}
	o := oneshot.Options{
		Jobs: r.jobs, Hard: r.hard, Log: r.o.Log, Command: r.o.Command, Dir: r.o.Dir, Env: r.env, Equip: r.equip, OutputFormat: format,
		ThreadCreate: create, ThreadResume: resume, StateDir: r.o.StateDir,
	}
	if r.speech != nil {
		o.Quiet = true // as the stream of an agent that lives on
		name := oneshot.UUID
		if o.StateDir == "" { // the agent may keep conversations of which we know nothing any more
			run := a2a.NewID()
			name = func(contextID string) string { return oneshot.UUID(run + " " + contextID) }
		}
		o.ThreadName, o.Dialect, o.Forgotten = name, r.o.known().Dialect, r.speech.once.Forgotten
	}
	return o
}

// pooled reports whether each context has a process of its own.
func (r *Runner) pooled() bool {
	return r.o.Sessions > 1 || r.speech != nil && r.speech.single
}

// shared reports whether all contexts share one conversation.
func (r *Runner) shared() bool { return r.sessions != nil && r.speech == nil && r.o.Sessions == 1 }

// directory returns the agent's working directory, an absolute path if that can be known.
func (r *Runner) directory() string {
	if dir, err := filepath.Abs(r.o.Dir); err == nil {
		return dir
	}
	return r.o.Dir
}

// resumes returns the conversation that a process for the turn has to be started with, "" for none.
func (r *Runner) resumes(t *turn) string {
	if r.speech == nil || !r.speech.single {
		return ""
	}
	return r.memory.ID(t.task.Owner(), t.task.ContextID())
}

// connected waits until a process that was just started can be spoken to, if it is spoken to in
// messages, or until ReadyTimeout or caller is over: its first turn goes on to wait then. The error says, for the
// user, why it never can be spoken to; it is a *driver.EndedError if the process has ended.
func (s *session) connected(caller context.Context) error {
	if s.r.speech == nil {
		return nil
	}
	ctx, stop := s.during(caller)
	defer stop()
	limit := s.r.o.ReadyTimeout
	late := make(chan struct{})
	timer := time.AfterFunc(limit, func() {
		s.log.Warn("the agent has not answered yet: does it speak what --mode says?", "mode", s.r.o.Mode, "after", limit.String())
		close(late)
	})
	defer timer.Stop()
	err := s.body.agent().Ready(ctx, late, 2*limit, func(string) {})
	switch {
	case errors.Is(err, peer.ErrClosed): // the process has gone, or is about to
		<-ctx.Done()
		err = context.Cause(ctx)
	case errors.Is(err, syscall.EPIPE), errors.Is(err, os.ErrClosed): // so it has, or it has closed its input alone
		err = s.leaving(ctx, err)
	}
	if err != nil && caller.Err() != nil {
		return nil // nobody waits for it any longer
	}
	return err
}

// endTime is how long it may take to learn of the end of a process after it has stopped reading.
const endTime = time.Second

// leaving returns how the process has ended if it does so soon, else err.
func (s *session) leaving(ctx context.Context, err error) error {
	limit := time.NewTimer(endTime)
	defer limit.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-limit.C:
		return err
	}
}

// About returns what the agent says of itself, in a mode in which it is spoken to in messages;
// nil while no process has said it. All text is the agent's.
func (r *Runner) About() *peer.About {
	if r.speech == nil {
		return nil
	}
	for _, h := range r.held() {
		says, ok := h.s.body.agent().(interface{ About() peer.About })
		if !ok || h.s.life.Err() != nil {
			continue
		}
		if about := says.About(); about.Protocol != "" {
			return &about
		}
	}
	return nil
}
