package turn

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/oneshot"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/stream"
)

// Runner runs turns. Its methods may be called from many goroutines.
type Runner struct {
	o        Options
	queue    *queue
	turns    turnTable
	oneshot  *oneshot.Program // nil if agents live through many turns
	env      []string         // the environment that every process inherits
	jobs     *job.Runner
	profile  *profile.Profile // empty if there is no terminal; nil in oneshot mode
	speech   *speech          // nil: the agent is not spoken to in messages
	sessions sessions         // nil if each turn has a process of its own
	owner    *ownership       // nil: there is not just one conversation
	// memory holds the agent's conversations; nil if they end with its processes.
	memory *stream.Conversations
	tee    *tee // nil: the terminals' output is not copied

	// life is the root context of what the runner starts. It never ends.
	life context.Context
	// drain ends when running turns have to stop. hard ends when every process has
	// to die at once.
	drain, hard      context.Context
	stopAll, killAll context.CancelFunc

	closed func() error // releases files; only its first call does

	given     atomic.Pointer[ToolsStatus]
	governing *governing   // nil: the agent is not governed
	recorded  atomic.Int64 // how many recordings were begun

	mu       sync.Mutex
	children map[*turn]*proc.Child // oneshot processes, used by Signal
}

// New checks the options and reads the state that survives a restart. It
// starts nothing.
func New(o Options) (*Runner, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	known, err := findProfile(o)
	if err != nil {
		return nil, err
	}
	o = o.over(known)
	if o.SessionContext == "" {
		o.SessionContext = a2a.NewID()
	}
	r := &Runner{o: o, profile: known, tee: newTee(o.Tee), children: map[*turn]*proc.Child{}}
	r.jobs = job.NewRunner(job.Options{
		Host: o.Host, Channel: o.Channel, User: o.User, URL: o.URL, RuntimeDir: o.RuntimeDir, Prefix: "turns",
		Grace: o.CancelGrace, AskTimeout: o.AskTimeout, Headless: o.Headless,
	})
	r.env = environment(o)
	r.life = context.Background()
	r.drain, r.stopAll = context.WithCancel(r.life)
	r.hard, r.killAll = context.WithCancel(r.life)
	if r.speech, err = findSpeech(&o); err != nil {
		return nil, errors.Join(err, r.jobs.Close())
	}
	if r.governing, err = r.findGoverning(); err != nil {
		return nil, errors.Join(err, r.jobs.Close())
	}
	limit := o.MaxConcurrency
	if !perTurn(&o, r.speech) {
		// As many turns as sessions may run: then a turn that runs always finds a
		// session that is its own, is new, or can be closed for it.
		limit = min(limit, o.Sessions)
		r.sessions = newSessions(r)
		if r.shared() {
			r.owner = &ownership{}
		}
		if r.speech != nil {
			if r.memory, err = stream.OpenConversations(o.StateDir, conversing(&o)); err != nil {
				return nil, errors.Join(err, r.jobs.Close())
			}
		}
	}
	r.queue = newQueue(limit, o.Queue)
	if r.sessions == nil {
		r.oneshot, err = oneshot.New(r.program())
		if err != nil {
			return nil, errors.Join(err, r.jobs.Close())
		}
	}
	r.closed = sync.OnceValue(func() error {
		err := r.jobs.Close()
		if r.oneshot != nil {
			err = errors.Join(err, r.oneshot.Close())
		}
		if r.memory != nil {
			err = errors.Join(err, r.memory.Close())
		}
		return err
	})
	return r, nil
}

func (r *Runner) now() time.Time { return r.o.Now() }

// Start makes the agent ready to be spoken to. If it lives through many turns, the first session's
// process runs when Start returns, and can be spoken to if it is spoken to in messages, or has not
// answered for ReadyTimeout, or until ctx ended: what it refuses (an option, its protocol) is an error. If
// each turn has a process, the command is then known to be executable. In every mode, a command that is not executable is a
// *proc.StartError. With GiveOn, an agent that cannot be given tools is an error.
func (r *Runner) Start(ctx context.Context) error {
	if r.sessions == nil {
		err := r.o.Host.Check(proc.Command{Argv: r.o.Command, Env: r.env, Dir: r.o.Dir, User: r.o.User})
		if err == nil {
			err = r.tryTools()
		}
		return err
	}
	return r.sessions.start(ctx)
}

// Request is what came with a message in addition to it. The zero value means that
// nothing came.
type Request struct {
	// Next is the message itself if its task waits for its client; nil: the message is
	// the task's first.
	Next *a2a.Message
	// Metadata is the request's own (§3.2.1). The agent sees it merged with the
	// message's metadata, which wins.
	Metadata a2a.Metadata
	// Extensions are the extensions that the client activated by header (§3.2.6).
	// The agent sees them together with the message's.
	Extensions []string
	// TraceParent is the W3C traceparent for the agent's process, "" for none.
	TraceParent string
	// Begin is called when the turn leaves the queue; what it returns is called when the agent
	// has answered, before the task is settled, at least once. Both must return soon. nil: nobody
	// wants to know.
	Begin func() (end func())
}

// Submit queues a turn of the task: with its first message, or the request's next one.
// From then on the runner owns the task until the turn has settled. Errors, all before
// anything ran: a2a.ErrBusy, a2a.ErrUnavailable, and those of task.Task.Continue. After
// an error a task that waited for its client waits as before.
func (r *Runner) Submit(t *task.Task, q Request) error {
	giveBack, err := r.take(t.Owner())
	if err != nil {
		return err
	}
	p, err := r.queue.enter(r.lane(t.ContextID()), t.Owner())
	if err != nil {
		giveBack()
		return err
	}
	t.SetTraceParent(q.TraceParent)
	t.SetExtensions(q.Extensions)
	m := t.Message()
	if q.Next != nil {
		m, err = q.Next, t.Continue(q.Next)
	}
	if err != nil {
		r.queue.leave(p)
		giveBack()
		return err
	}
	go r.run(t, m, q, r.turns.add(p, t, "")) // waited for through the queue
	return nil
}

// lane returns the lane in which a context's turns are queued. If all contexts
// share one conversation, there is one lane.
func (r *Runner) lane(contextID string) string {
	if r.shared() {
		return ""
	}
	return contextID
}

// Context returns the context that a message joins: the one that it names, else the
// session's own if there is one conversation, else a new one.
func (r *Runner) Context(id string) string {
	switch {
	case id != "":
		return id
	case r.shared():
		return r.o.SessionContext
	}
	return a2a.NewID()
}

// Ready returns why a turn could not run now, nil if it could. A busy agent is
// ready.
func (r *Runner) Ready() error {
	select {
	case <-r.queue.shut:
		return a2a.ErrUnavailable.With("the sidecar is shutting down")
	default:
	}
	if r.sessions == nil {
		return nil
	}
	return r.sessions.ready()
}

// Exited returns a channel that is closed when the agent has ended for good. This
// happens only with one process for all contexts that is not restarted.
func (r *Runner) Exited() <-chan struct{} {
	if r.sessions == nil {
		return nil
	}
	return r.sessions.exited()
}

// Exit returns how the agent ended. It may be called once Exited is closed.
func (r *Runner) Exit() proc.Exit {
	if r.sessions == nil {
		return proc.Exit{}
	}
	return r.sessions.exit()
}

// Signal passes a signal on to every agent process that runs.
func (r *Runner) Signal(sig os.Signal) {
	if r.sessions != nil {
		r.sessions.signal(sig)
		return
	}
	r.mu.Lock()
	children := make([]*proc.Child, 0, len(r.children))
	for _, c := range r.children {
		children = append(children, c)
	}
	r.mu.Unlock()
	for _, c := range children {
		// A process that has ended meanwhile needs no signal.
		_ = c.Signal(sig)
	}
}

// Close ends what Drain has left: sessions and files. If Drain was not called
// before, running turns are stopped at once. Close may be called more than once.
func (r *Runner) Close() error {
	now, cancel := context.WithCancel(r.life)
	cancel()
	r.Drain(now, 0)
	return r.closed()
}
