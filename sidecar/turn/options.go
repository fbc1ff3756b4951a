package turn

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/mcp"
)

// The values of Options.Mode.
const (
	ModePTY     = config.ModePTY     // one process per session, under a terminal
	ModeLines   = config.ModeLines   // one process per session, over pipes
	ModeOneshot = config.ModeOneshot // one process per message, over pipes
	ModeMCP     = config.ModeMCP     // one process, an MCP server, over pipes
	ModeACP     = config.ModeACP     // one process per session, by the Agent Client Protocol
	ModeStream  = config.ModeStream  // in messages of the agent's own
)

// The values of Options.Deliver.
const (
	DeliverAuto     = config.DeliverAuto     // the channel if the agent offers it, else the terminal
	DeliverChannel  = config.DeliverChannel  // only the channel
	DeliverTerminal = config.DeliverTerminal // only the terminal
)

// The values of Options.Restart.
const (
	RestartNever     = config.RestartNever
	RestartOnFailure = config.RestartOnFailure
	RestartAlways    = config.RestartAlways
)

// The values of Options.OutputFormat.
const (
	FormatText       = config.FormatText
	FormatJSON       = config.FormatJSON
	FormatStreamJSON = config.FormatStreamJSON
)

// Options configure New. A field must be set unless its comment says what its zero
// value means: the defaults of the settings are in the configuration.
type Options struct {
	Mode    string
	Command []string        // argv of the agent
	Env     []string        // the environment of the agent; the sidecar's own settings are taken out
	Dir     string          // the agent's working directory; "": ours
	User    *proc.User      // nil: ours
	Host    *proc.Host      // starts every process
	Channel *channel.Server // nil: the channel is off
	MCP     *mcp.Agent      // speaks to the agent in ModeMCP; nil in the other modes
	// ACP makes our end of the connection to an agent in ModeACP; it must be set there.
	ACP func(peer.Process) peer.Peer
	// Version is the sidecar's, for agents that are told with whom they speak; "": not known.
	Version string
	// Agent is what is known of the agent; nil: what is known of its command.
	Agent *spec.Agent
	// AgentOptions are choices among what the agent offers in ModeACP and ModeStream.
	AgentOptions []peer.Option
	Judges       driver.Judges // decide what the agent may do by its own tools, in modes in which it asks; nil: nothing
	Log          *slog.Logger  // nil: none

	Observer Observer // nil: nobody
	// SessionEnded is told the context of each session that has ended, "" for a session
	// that all contexts share. It must not block. nil: nobody is told.
	SessionEnded func(contextID string)

	RuntimeDir string        // where the files of running turns are; "": none can be made
	StateDir   string        // where the set of seen threads is kept; "": in memory only
	URL        func() string // the sidecar's address as agents reach it; nil: agents do not get it

	Sessions       int           // at least 1
	SessionIdle    time.Duration // how long a session may be idle, if Sessions is more than one
	MaxConcurrency int           // at least 1
	Queue          int           // turns that may wait; 0: none
	SessionContext string        // context of the one session; "": a new id

	TurnTimeout  time.Duration // 0: none
	CancelGrace  time.Duration // 0: KILL at once
	AskTimeout   time.Duration
	ReadyTimeout time.Duration // 0: the profile's
	Headless     bool          // nobody can answer a question
	Restart      string

	// Profile says what is known of the agent's terminal: the name of a built-in
	// profile, or a file. "" means that the command's name selects it.
	Profile string
	NoHooks bool   // the agent is not configured to report by its hooks
	Self    string // path of a binary that has `emit hook` and `mcp`; "": there are neither hooks that need one nor tools
	// GiveTools says whether the agent is given our tools by MCP: GiveOff, GiveAuto or
	// GiveOn. ToolTime is how long a call of one may take.
	GiveTools string
	ToolTime  time.Duration
	// Govern says whether the agent is to have no tools but ours: GovernOff, GovernOn or
	// GovernStrict; "" is GovernOff. It needs GiveOn.
	Govern string
	// Sandbox confines every process of the agent under GovernStrict, which needs it. Requires returns
	// what the agent may use there in addition; nil, also of the function: nothing.
	Sandbox  *confine.Keeper
	Requires func() *capability.Set
	Record   string           // file for a recording of the terminal (asciicast v3); "": none
	Now      func() time.Time // nil: time.Now

	Deliver            string
	PromptPattern      *regexp.Regexp // ends an answer in a terminal; nil: the profile's
	StartQuiet         time.Duration  // silence of a terminal without a prompt before typing; 0: 1 s
	Quiet              time.Duration  // silence after which its answer has ended, at least; 0: 5 s
	ToolPrompt         string         // "": the profile's
	AllowAgentCommands bool           // commands such as "/clear" are allowed

	OutputFormat string
	ThreadCreate string // both or neither
	ThreadResume string

	Size   tty.Size
	Person func(*tty.Terminal) (*tty.Passthrough, error) // nil: no person is at the terminal
	// Tee gets the terminals' output if no person is at the terminal; nil: the
	// output is dropped. The agent waits for Tee. The end of the session waits for
	// it too, unless Tee supports deadlines.
	Tee *os.File
}

// withDefaults sets the fields that are not settings.
func (o Options) withDefaults() Options {
	def(&o.StartQuiet, time.Second)
	def(&o.Quiet, 5*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.SessionEnded == nil {
		o.SessionEnded = func(string) {}
	}
	if o.Observer == nil {
		o.Observer = nobody{}
	}
	if o.Judges == nil {
		o.Judges = driver.NoJudge
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// over sets what the agent's profile says and the options leave open. A nil profile
// says nothing.
func (o Options) over(p *profile.Profile) Options {
	if p == nil {
		return o
	}
	def(&o.ReadyTimeout, p.ReadyTimeout())
	def(&o.PromptPattern, p.PromptPattern())
	def(&o.ToolPrompt, p.ToolPrompt)
	return o
}

// def sets *v to d when it is the zero value.
func def[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

// validate returns every fault at once.
func (o Options) validate() error {
	var all []error
	oneOf := func(name, v string, allowed ...string) {
		for _, a := range allowed {
			if v == a {
				return
			}
		}
		all = append(all, fmt.Errorf("turn: %s %q is not one of %q", name, v, allowed))
	}
	oneOf("mode", o.Mode, ModePTY, ModeLines, ModeOneshot, ModeMCP, ModeACP, ModeStream)
	oneOf("deliver", o.Deliver, DeliverAuto, DeliverChannel, DeliverTerminal)
	oneOf("restart", o.Restart, RestartNever, RestartOnFailure, RestartAlways)
	oneOf("give tools", o.GiveTools, GiveOff, GiveAuto, GiveOn)
	oneOf("govern", cmp.Or(o.Govern, GovernOff), GovernOff, GovernOn, GovernStrict)
	if cmp.Or(o.Govern, GovernOff) != GovernOff && o.GiveTools != GiveOn {
		all = append(all, errors.New("turn: an agent that is governed has to be given tools"))
	}
	oneOf("output format", o.OutputFormat, FormatText, FormatJSON, FormatStreamJSON)
	for name, missing := range map[string]bool{
		"sessions": o.Sessions < 1, "idle time of a session": o.SessionIdle <= 0, "concurrency": o.MaxConcurrency < 1,
		"time for a question": o.AskTimeout <= 0,
		"size of a terminal":  o.Size.Cols == 0 || o.Size.Rows == 0,
	} {
		if missing {
			all = append(all, fmt.Errorf("turn: there is no %s", name))
		}
	}
	if len(o.Command) == 0 {
		all = append(all, errors.New("turn: there is no command to run"))
	}
	if (o.Mode == ModeMCP) != (o.MCP != nil) || o.Mode == ModeMCP && o.Sessions > 1 {
		all = append(all, errors.New("turn: mode mcp has one session, with a client of its own"))
	}
	if o.Mode == ModeACP && o.ACP == nil {
		all = append(all, errors.New("turn: mode acp has nobody who speaks it"))
	}
	if len(o.AgentOptions) > 0 && o.Mode != ModeACP && o.Mode != ModeStream {
		all = append(all, errors.New("turn: the agent's options are for the modes acp and stream"))
	}
	if o.Host == nil {
		all = append(all, errors.New("turn: there is no host for processes"))
	}
	if (o.ThreadCreate == "") != (o.ThreadResume == "") {
		all = append(all, errors.New("turn: the thread arguments for create and resume come both or neither"))
	}
	if o.Deliver == DeliverChannel && o.Channel == nil {
		all = append(all, errors.New("turn: deliver by channel needs the channel, which is off"))
	}
	return errors.Join(all...)
}
