package config

import (
	"errors"
	"log/slog"
	"regexp"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

// The ways to run an agent.
const (
	ModePTY     = "pty"
	ModeLines   = "lines"
	ModeMCP     = "mcp"
	ModeACP     = "acp"
	ModeStream  = "stream"
	ModeOneshot = "oneshot"
	ModeAuto    = "auto" // the best that the agent has; settled before it is started
)

// The ways in which a message reaches the agent.
const (
	DeliverAuto     = "auto"
	DeliverChannel  = "channel"
	DeliverTerminal = "terminal"
)

// The cases in which an agent that has ended is started again.
const (
	SandboxOff       = "off"
	SandboxAuto      = "auto"
	SandboxRequired  = "required"
	RestartNever     = "never"
	RestartOnFailure = "on-failure"
	RestartAlways    = "always"
)

// Whether the agent is given the sidecar's tools.
const (
	GiveOff  = "off"
	GiveAuto = "auto" // if it can take them
	GiveOn   = "on"
)

// Whether the agent is to have no tools but the sidecar's.
const (
	GovernOff    = "off"
	GovernOn     = "on"
	GovernStrict = "strict" // what cannot be held refuses the start
)

// The formats of what a oneshot agent prints.
const (
	FormatText       = "text"
	FormatJSON       = "json"
	FormatStreamJSON = "stream-json"
)

// Config is everything that run can be told. The zero value is not usable: start from
// DefaultConfig. The table in settings.go says what each field means; sizes are in
// bytes.
type Config struct {
	// Command is the agent's argv; after validation it is never empty.
	Command []string

	// Host is the address to listen on, "" for all interfaces.
	Host           string
	Port           int // 0: any free one
	PublicURL      string
	Name           string
	Card           string
	Accept         []string // media ranges, in lower case
	AllowedHosts   []string // host or host:port, in lower case
	CORS           []string // origins
	MaxBody        int64
	HeaderTimeout  time.Duration
	IdleTimeout    time.Duration
	StallTimeout   time.Duration
	AllowAnonymous bool

	TokenFile      string
	TLSCert        string
	TLSKey         string
	TLSClientCA    string
	Operators      []string // callers that may read the log
	MaxConnections int      // 0: derived from the number of descriptors
	MaxRequests    int      // 0 here and below: no limit
	CallerRequests int
	MaxInflight    int64
	CallerInflight int64
	CallerRate     float64
	CallerBurst    int

	Push             string // on or off
	PushAllowPrivate bool
	PushTimeout      time.Duration
	PushRetryFor     time.Duration
	PushConcurrency  int

	Mode string
	// ModeWhy says why auto has become this Mode, "" if it was not auto.
	ModeWhy string
	// AgentOptions are choices among what the agent offers, in their order.
	AgentOptions []AgentOption
	Workspace    string   // "": the current directory
	Roots        []string // more directories for which {workspace} stands in a manifest
	Unprotect    []string // protected paths that tools may write, absolute or relative to the workspace
	StateDir     string   // made when there is something to keep in it
	// StoreDir is where tasks are kept, "" for in memory only: the StateDir if
	// somebody asked for it, otherwise the one in the platform's workspace.
	// StoreAsked says that somebody asked for it: it is then a fault if nothing can
	// be kept there.
	StoreDir    string
	StoreAsked  bool
	RuntimeDir  string // "": the first that is writable
	User        *proc.User
	Sessions    int
	SessionIdle time.Duration

	MCPSessions       int
	MCPCallerSessions int
	MCPSessionIdle    time.Duration

	Restart       string
	Headless      bool
	Deliver       string
	Profile       string // "": chosen by the command's name
	NoHooks       bool
	Record        string         // "": none
	ReadyTimeout  time.Duration  // 0: the profile's
	PromptPattern *regexp.Regexp // nil: the profile's
	ToolPrompt    string         // "": the profile's

	AllowAgentCommands bool

	MCPConfig   string // the file of MCP servers; "": none
	MCPLock     string // "": MCPLockFile says where it is
	MCPUnlocked string // UnlockedAllow, UnlockedWarn or UnlockedRefuse

	Agents      string // a file; "": no other agents are named
	Budget      Budget
	TaskDepth   int
	TaskNumber  int
	TaskTimeout time.Duration

	Manifest          string
	ManifestLenient   bool
	GiveTools         string   // GiveOff, GiveAuto or GiveOn
	Govern            string   // GovernOff, GovernOn or GovernStrict
	Skills            []string // directories of skills
	WorkspaceSkills   bool     // the workspace's skills are shown, and bring tools
	Tools             []string // names of the sidecar's own tools, as tool.NewSet takes them
	FetchHosts        []string // patterns of hosts, in addition to public ones
	SearchProviders   []string // names of tools of the manifest
	SearchCalls       int
	SearchTimeout     time.Duration
	ReservedNamespace []string
	Grants            string // "": every connector is bound
	Surface           string // a file, "": as the manifest says
	ImageDigest       string // "": not known
	MaxOutput         int64
	OutputBytes       int64
	OutputsTotal      int64
	ChangesTotal      int64 // 0: nothing is kept
	ChangesFile       int64
	Sandbox           string // off, auto or required
	Watchdog          string // "": none
	MCPProxyURL       string // of the platform's MCP server; "": none
	WatchdogTimeout   time.Duration
	Audit             string // "": the default; see AuditFile

	Policy       string // a file, preset:NAME, or "" for none
	TrustProject bool

	MaxConcurrency int
	Queue          int
	TurnTimeout    time.Duration // 0: none
	CallTimeout    time.Duration // 0: none
	AskTimeout     time.Duration
	CancelGrace    time.Duration
	DrainTimeout   time.Duration
	TaskBytes      int64
	KeepBytes      int64
	RetainBytes    int64
	RetainFor      time.Duration // 0: no limit

	OutputFormat   string
	ThreadIDCreate string
	ThreadIDResume string

	Size     tty.Size // of the agent's terminal
	Terminal string
	Tee      bool

	LogLevel  slog.Level
	LogFormat string
	LogFile   string

	// File is where --config pointed, "" for none.
	File string
}

// DefaultConfig returns the configuration without any setting, outside of a
// container. It lacks a command.
func DefaultConfig() Config {
	var c Config
	for _, s := range Settings() {
		if s.Default == "" {
			continue
		}
		if err := s.bind(&c).parse(s.Default); err != nil {
			panic("config: default of " + s.Name + ": " + err.Error()) // a test holds it
		}
	}
	return c
}

// Passthrough reports whether a person's terminal becomes the agent's; foreground
// says that stdin and stdout are one terminal and that we are in its foreground.
func (c *Config) Passthrough(foreground bool) bool {
	return c.Mode == ModePTY && c.Person(foreground)
}

// Validate returns every fault in the combination of settings, joined: faults of a
// single value are found when it is read. It does not look at the machine.
func (c *Config) Validate() error {
	var all []error
	for _, check := range []func() error{c.checkCommand, c.checkThreads, c.checkTLS, c.checkAgentOptions, c.checkGovern} {
		if err := check(); err != nil {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

func (c *Config) checkCommand() error {
	if len(c.Command) == 0 {
		return ErrNoCommand
	}
	return nil
}

var errHalfThreads = errors.New("--thread-id-arg-create and --thread-id-arg-resume (SPRING_THREAD_ID_ARG_CREATE, SPRING_THREAD_ID_ARG_RESUME) go together: set both or neither")

// checkThreads requires both commands or none: if a thread can be started but not
// continued, or the other way round, the conversation is lost on the second turn.
func (c *Config) checkThreads() error {
	if (c.ThreadIDCreate == "") != (c.ThreadIDResume == "") {
		return errHalfThreads
	}
	return nil
}
