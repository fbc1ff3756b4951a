package sidecar

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"

	a2apush "github.com/a2a-sidecar/sidecar/a2a/push"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/changes"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
	"github.com/a2a-sidecar/sidecar/sidecar/gate"
	"github.com/a2a-sidecar/sidecar/sidecar/logs"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/platform"
	"github.com/a2a-sidecar/sidecar/sidecar/metrics"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/push"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/task/disk"
	"github.com/a2a-sidecar/sidecar/sidecar/terminal"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/mcp"
	"github.com/a2a-sidecar/sidecar/sidecar/watchdog"
)

// ExitFault is the exit code for the sidecar's own faults, so that nobody takes them
// for the agent's.
const ExitFault = 125

// Run serves until the agent ends, a signal asks for the end, or ctx ends, and
// returns the exit code. An error means that it could not start or could not go on;
// the code then tells whose fault it was (126, 127: the agent's command).
//
// Run owns the process's signals while it runs; only one Run may be active at a time.
func Run(ctx context.Context, o Options) (int, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	signals := notify()
	defer signals.stop()

	tail := keepLog(&o)
	for _, w := range o.Warnings {
		o.Log.Warn(w)
	}
	s := &sidecar{Options: o, tail: tail, metrics: metrics.New(o.Version), signals: signals}
	open, err := s.steps().open(ctx)
	if err != nil {
		return exitCode(err), err
	}
	cause, over := s.early, s.early.asked()
	if !over {
		cause, over = s.awaitList(ctx, signals)
	}
	if !over {
		s.gate.Open()
		s.Log.Info("serving", "url", s.url())
		if o.Serving != nil {
			o.Serving(s.url())
		}
		s.memory.started()
		cause = s.wait(ctx, signals)
	}
	if o.Ending != nil {
		o.Ending()
	}
	code := s.drain(cause, signals)
	return code, errors.Join(cause.err, open.close(context.WithoutCancel(ctx)))
}

func exitCode(err error) int {
	var start *proc.StartError
	if errors.As(err, &start) {
		return start.ExitCode()
	}
	return ExitFault
}

// sidecar holds the parts from their opening to their closing.
type sidecar struct {
	Options

	signals *signals
	early   ending // why Run was asked to end while the agent started, if it was

	metrics *metrics.Metrics
	tail    *logs.Tail // the last lines of the log
	gate    *gate.Gate
	host    *proc.Host
	source  *manifest.Source
	watch   *watch
	memory  *memory
	store   *disk.Store      // nil: tasks are in memory only
	journal *changes.Journal // nil: none is kept
	tasks   *task.Registry
	sender  *a2apush.Sender // nil: push is off
	push    *push.Dispatcher
	channel *channel.Server // nil: off
	files   string          // the directory for the files of turns and calls, "" for none
	person  bool            // a person's terminal is the agent's
	tee     *os.File        // the agent's screen is copied there, nil for no copy
	runner  *turn.Runner
	calls   *call.Pipeline
	ending  atomic.Pointer[call.Pipeline] // calls, for sessions that end while it opens
	callers *callers
	rules   *rules
	keeper  *confine.Keeper // nil: nothing confines programs
	servers *servers        // nil: there are no MCP servers

	works        *delegation.Register // the limits of the work that is done
	agents       *agents
	core         *tool.Set // the tools of our own
	toolSessions *tool.Sessions
	skills       *skills // nil: no tool loads them

	agentServer *mcp.Agent // speaks to an agent that is an MCP server; nil: it is none
	judging     judging
	surface     *surface.Surface
	// Both nil: there is no such file.
	grants      *surface.File[surface.Grants]
	preferences *surface.File[surface.Preferences]
	following   following

	outputs   atomic.Pointer[output.Store] // nil: there is no place for them, or not yet
	watchdog  *watchdog.Watchdog           // nil: none
	audit     *audit.Log                   // nil: none
	approvals *approval.Registry
	session   *policy.Session                 // the answers "always"
	attached  atomic.Pointer[tty.Passthrough] // the person's terminal, nil for none
	alerts    sync.WaitGroup                  // what is shown there

	platform *platform.Platform // nil: none

	listener net.Listener
	handler  *handler
	server   *http.Server
	served   chan error // the result of Serve

	outputDir *channel.Scratch // holds outputs
	terminals *terminal.Handlers
	mcp       atomic.Pointer[mcpDoor] // nil: not yet
}

// steps lists everything that is opened, in order. The address is opened before the
// agent, so that an address in use does not cost an agent's life. It is also served
// early: card, tools and liveness are there while the agent starts, and new work is
// held until the agent has started.
func (s *sidecar) steps() steps {
	return steps{
		{"card", s.checkCard, nil},
		{"memory", s.openMemory, s.closeMemory},
		{"grants", s.openGrants, nil},
		{"tools", s.openTools, nil},
		{"agents", s.openAgents, nil},
		{"MCP client", s.openAgentServer, nil},
		{"MCP servers' file", s.openServerFile, nil},
		{"manifest", s.openManifest, s.closeManifest},
		{"skills", s.openSkills, s.closeSkills},
		{"callers", s.openCallers, s.closeCallers},
		{"approvals", s.openApprovals, nil},
		{"policy", s.openPolicy, s.closePolicy},
		{"platform", s.openPlatform, s.closePlatform},
		{"works", s.openWorks, nil},
		{"surface", s.openSurface, s.closeSurface},
		{"places", s.checkPlaces, nil},
		{"judging files", s.checkJudgingFiles, nil},
		{"store", s.openStore, s.closeStore},
		{"changes", s.openChanges, s.closeChanges},
		{"tasks", s.openTasks, s.closeTasks},
		{"gate", s.openGate, nil},
		{"push", s.openPush, s.closePush},
		{"address", s.openListener, s.closeListener},
		{"terminals", s.openTerminals, s.closeTerminals},
		{"server", s.openServer, s.closeServer},
		{"outputs", s.openOutputs, s.closeOutputs},
		{"processes", s.openHost, s.closeHost},
		{"watchdog", s.openWatchdog, s.closeWatchdog},
		{"audit", s.openAudit, s.closeAudit},
		{"channel", s.openChannel, s.closeChannel},
		{"sandbox", s.openKeeper, nil},
		{"MCP servers", s.openServers, s.closeServers},
		{"agent", s.openRunner, s.closeRunner},
		{"sub-agents", s.openSubagents, s.closeSubagents},
		{"calls", s.openCalls, s.closeCalls},
		{"mcp", s.openMCP, s.closeMCP},
		{"agent start", s.startAgent, nil},
	}
}
