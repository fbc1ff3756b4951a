package call

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/call/schedule"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/changes"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/subagent"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// Options is what a Pipeline is made of. A field must be set unless its comment says
// what its zero value means: the defaults of settings belong to the configuration.
type Options struct {
	// Surface returns the tools that a request can reach now. Of the Request, who calls and what
	// the call is a part of is set. It must not block or return nil.
	Surface func(r *Request) *manifest.Snapshot
	// Absent says why a request cannot call a tool that exists and that its surface does not have:
	// one of the Absent constants, and words for the caller; "": there is no such tool. It must not
	// block. nil: there is none.
	Absent func(r *Request, name string) (reason, text string)
	// Tasks is where each call's task is made.
	Tasks *task.Registry
	// Decider judges each call. nil: policy.BuiltIn().
	Decider policy.Decider
	// Watchdog is asked about every call that the rules do not refuse. nil: none.
	Watchdog Watchdog
	// Audit records every call. nil: none.
	Audit Audit
	// Approvals holds the calls that wait for a person's yes. nil: a registry of its own.
	Approvals *approval.Registry
	// Approvers returns the callers that the policy lets approve calls; it must not block.
	// nil, or none: the caller of the task that asks.
	Approvers func() []string
	// Remember keeps an answer "always" for the Decider: until the session ends it asks no
	// more for the same call. nil: each call is asked for.
	Remember func(q policy.Request)
	// Person tells the person at the sidecar's terminal that a call waits which nobody
	// else can be asked about, and returns how to take that back. It must return soon.
	// nil: nobody is there.
	Person func(a *approval.Approval) (done func())
	// Agent takes the calls of tools that have no bridge of their own. nil: these
	// tools are unavailable.
	Agent Agent
	// Servers calls the tools of MCP servers. nil: these tools are unavailable.
	Servers Servers
	// Tools are those of the sidecar's own. nil: there are none.
	Tools *tool.Set
	// Changes keeps what tools of the sidecar's own do to files. nil: nothing is kept.
	Changes *changes.Journal
	// Agents gives work to other agents. nil: there are none.
	Agents *subagent.Desk
	// Denials returns what a caller's work must not do wherever it goes on: see policy.Set.Denials. It must not block. nil: nothing.
	Denials func(caller string, agent bool) []json.RawMessage
	// Works knows the limits of the work that calls are a part of. nil: a register without limits.
	Works *delegation.Register
	// ToolSessions keeps what their calls share. nil: sessions of the pipeline's own.
	ToolSessions *tool.Sessions
	// Skills are those that the tool skill loads. nil: there are none.
	Skills Skills
	// Finder returns what finds tools for whoever makes a request. It must not block. nil: nothing is
	// found.
	Finder func(r *Request) tool.Finder
	// Search is how web_search searches.
	Search tool.Search
	// CoreSetup says what is missing before a tool of the sidecar's own can run here, "" if nothing is. It must
	// not block. nil: nothing is missing.
	CoreSetup func(t *manifest.Tool) string
	// UserAgent is how a tool of the sidecar's own introduces itself to servers. "": "a2a-sidecar".
	UserAgent string
	// Resolve returns the addresses of a name for the tools of the sidecar's own. nil: the system's resolver.
	Resolve func(ctx context.Context, name string) ([]netip.Addr, error)
	// Host starts the programs of exec tools. nil: these tools are unavailable.
	Host *proc.Host
	// Channel is the socket that the programs of exec tools may use. nil: none.
	Channel *channel.Server
	// Env is the sidecar's environment, "NAME=value": exec tools get the few
	// documented names (PATH, HOME, …) and those they declare.
	Env []string
	// Workspace is the directory in which exec tools run. "": the sidecar's own
	// directory.
	Workspace string
	// Scope has the directories for which the variables of requirements stand. nil: those
	// of the workspace alone.
	Scope *capability.Scope
	// Sandbox confines the programs of exec tools. nil: they are not confined.
	Sandbox *confine.Keeper
	// User is the user as whom exec tools run. nil: the sidecar's.
	User *proc.User
	// MaxConcurrency is how many reads run at once, at least 1.
	MaxConcurrency int
	// Queue is how many calls may wait for their turn. 0: none wait.
	Queue int
	// CancelGrace is the time between TERM and KILL. 0: KILL at once.
	CancelGrace time.Duration
	// Timeout is the time limit of every tool; a tool may declare less. 0: none.
	Timeout time.Duration
	// AskTimeout is how long a question or approval waits.
	AskTimeout time.Duration
	// Headless says that nobody can be asked: a call that needs an approval is denied
	// at once.
	Headless bool
	// MaxOutput is the output limit in bytes of tools that declare none. 0: no limit.
	MaxOutput int64
	// Outputs keeps what is too long for an envelope. nil: the rest is lost.
	Outputs *output.Store
	// OutputPath is where the outputs are served, to be followed by an id. "": they are
	// not.
	OutputPath string
	// Secrets returns what is taken out of all that tools say, in addition to the secrets
	// that they are given. It must not block, and may return nil. nil: nothing.
	Secrets func() *output.Redactor
	// ServerSecrets returns the secrets that an MCP server is given, a slice of the caller's own: they
	// are taken out of what its tools say. It must not block. nil: none.
	ServerSecrets func(server string) []output.Value
	// URL returns the sidecar's address for SIDECAR_URL. nil: the variable is not
	// set.
	URL func() string
	// RuntimeDir is where each exec call has its message file and outbox while it
	// runs. "": it has neither.
	RuntimeDir string
	// Observer is told of every call's end. nil: there is none.
	Observer Observer
	// Log gets one line per call. nil: none.
	Log *slog.Logger
}

// Pipeline runs tool calls. All methods may be called from many goroutines.
type Pipeline struct {
	opts    Options
	sched   *schedule.Schedule
	secrets secrets
	jobs    *job.Runner // runs the programs of exec tools

	backgrounds backgrounds // what calls have started and goes on

	requirements atomic.Pointer[requirements] // for the watchdog

	// draining ends, with task.ErrDraining, the calls that have not begun to execute.
	draining context.Context
	drain    context.CancelCauseFunc
	// hard ends, with task.ErrDraining, when every call has to stop.
	hard    context.Context
	stopAll context.CancelCauseFunc

	work sync.WaitGroup // call goroutines, and handlers that outlive theirs

	mu   sync.Mutex
	live map[*Invocation]struct{}
	// programs are those that turns run for their agents.
	programs map[*program]struct{}
	closed   bool
	// batches are those with a call that has not ended.
	batches map[batchKey]*batch
}

// New returns a pipeline; Close releases it. The error says which limit is missing.
func New(o Options) (*Pipeline, error) {
	if o.MaxConcurrency < 1 || o.AskTimeout <= 0 || o.MaxOutput <= 0 {
		return nil, fmt.Errorf("call: concurrency %d, time for a question %s and output %d must be more than 0", o.MaxConcurrency, o.AskTimeout, o.MaxOutput)
	}
	if o.Scope == nil {
		dir, err := filepath.Abs(o.Workspace)
		if err != nil {
			return nil, fmt.Errorf("call: the workspace: %w", err)
		}
		if o.Scope, err = capability.NewScope(capability.OS(), capability.Roots{Workspace: []string{dir}}); err != nil {
			return nil, fmt.Errorf("call: %w", err)
		}
		o.Scope = o.Scope.WithNetworks(o.Sandbox.Networks)
	}
	if o.Decider == nil {
		o.Decider = policy.BuiltIn()
	}
	if o.Approvals == nil {
		o.Approvals = approval.NewRegistry(approval.Limits{Max: o.MaxConcurrency + o.Queue, Remembered: 100, Timeout: o.AskTimeout})
	}
	if o.ToolSessions == nil {
		o.ToolSessions = tool.NewSessions(o.MaxConcurrency + o.Queue)
	}
	if o.Works == nil {
		o.Works = delegation.New(delegation.Options{Roots: o.Scope.Roots()})
	}
	if o.Observer == nil {
		o.Observer = nobody{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	p := &Pipeline{opts: o, live: map[*Invocation]struct{}{}, programs: map[*program]struct{}{}, batches: map[batchKey]*batch{}}
	p.sched = schedule.New(schedule.Limits{Reads: o.MaxConcurrency, Queue: o.Queue, Depth: Depth})
	p.secrets = secrets{rules: o.Secrets, env: o.Env, server: o.ServerSecrets}
	p.jobs = job.NewRunner(job.Options{
		Host: o.Host, Channel: o.Channel, User: o.User, URL: o.URL, RuntimeDir: o.RuntimeDir, Prefix: "calls",
		Grace: o.CancelGrace, AskTimeout: o.AskTimeout, Headless: o.Headless,
	})
	p.draining, p.drain = context.WithCancelCause(context.Background())
	p.hard, p.stopAll = context.WithCancelCause(context.Background())
	return p, nil
}

// Start admits a call and starts it.
func (p *Pipeline) Start(r Request) *Invocation {
	inv := p.Admit(r)
	inv.Start()
	return inv
}

// Start lets the call run on a goroutine of its own and returns at once. It must be
// called once. A client that hangs up does not stop the call: only its task's Cancel,
// its time limit, a drain or Close do. After Drain or Close has begun, the call ends
// as unavailable.
func (i *Invocation) Start() {
	p, ctx := i.p, i.task.Context()
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.live[i] = struct{}{}
		p.work.Add(1)
	}
	p.mu.Unlock()
	if closed {
		i.over()
		p.settle(ctx, i, shuttingDown())
		close(i.done)
		return
	}
	go func() {
		defer p.work.Done()
		defer i.clean() // after those who wait have the answer
		defer p.forget(i)
		defer i.follow()()
		p.joinBatch(i)
		ctx, cancel := i.limited(ctx)
		defer cancel()
		r := p.call(ctx, i)
		i.over()
		p.leave(i)
		p.leaveBatch(i, r.outcome)
		p.end(ctx, i, r)
	}()
}

func (p *Pipeline) forget(inv *Invocation) {
	p.mu.Lock()
	delete(p.live, inv)
	p.mu.Unlock()
	close(inv.done)
}
