package config

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/a2a-sidecar/sidecar/a2a/server"
	txt "github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// Setting is one row of the table.
type Setting struct {
	// Name is the flag without its dashes, and the key in the file.
	Name string
	// Platform is the variable with which the platform sets it, "" for none.
	Platform string
	// Group is the heading in the help under which it is listed.
	Group string
	// Value is the name of the value in the help, "" for a switch.
	Value string
	// Doc is one line: what it does, in which unit.
	Doc string
	// Default is the default, written as in a flag, "" for none.
	Default string
	// Shown is the default as the help shows it, if Default does not say it.
	Shown string
	// List says that the setting may be repeated: its values are joined by commas.
	List bool
	// NotInFile says that the setting is not a key of the file.
	NotInFile bool
	// Rare says that the setting is seldom used: the help of run leaves it to the
	// topic "settings".
	Rare bool

	bind func(*Config) value
	// foreign turns the platform's spelling into ours; nil if they are the same.
	foreign func(string) (string, error)
}

// prefix is the prefix of the variables of all settings.
const prefix = "SIDECAR_"

// Env returns the name of the setting's variable.
func (s Setting) Env() string {
	return prefix + strings.Map(upperSnake, s.Name)
}

// upperSnake turns the letters of a flag's name into those of a variable's.
func upperSnake(r rune) rune {
	if r == '-' {
		return '_'
	}
	return unicode.ToUpper(r)
}

// variables returns the names of the variables that may set it, the strongest first.
func (s Setting) variables() []string {
	names := []string{s.Env()}
	if s.Platform != "" {
		names = append(names, s.Platform)
	}
	return names
}

// InFile reports whether the setting is a key of the file.
func (s Setting) InFile() bool { return !s.NotInFile }

// Switch reports whether the flag takes no value and means true.
func (s Setting) Switch() bool { return s.Value == "" }

// Choices returns the few words that it takes, nil if it takes other values too.
func (s Setting) Choices() []string {
	if c, ok := s.bind(&Config{}).(choice); ok {
		return c.words
	}
	return nil
}

// DefaultText returns the default as help and README show it.
func (s Setting) DefaultText() string {
	if s.Shown != "" {
		return s.Shown
	}
	return s.Default
}

// The groups, in the order of the help.
const (
	groupAgent    = "Agent"
	groupServer   = "Server"
	groupCallers  = "Callers and what each may hold"
	groupPush     = "Push notifications"
	groupTools    = "Tools"
	groupGuard    = "What tool calls may do"
	groupWork     = "Limits and deadlines"
	groupSession  = "Sessions and terminal"
	groupPlatform = "Output and threads (oneshot)"
	groupLog      = "Logs"
	groupConfig   = "Configuration"
)

// Settings returns the table, which nobody may change. Every existing setting is in it, once.
func Settings() []Setting { return table() }

// table makes the table once: every start reads it twice.
var table = sync.OnceValue(func() []Setting {
	groups := []struct {
		name string
		rows []Setting
	}{
		{groupAgent, agentSettings()},
		{groupServer, serverSettings()},
		{groupCallers, callerSettings()},
		{groupPush, pushSettings()},
		{groupTools, slices.Concat(toolSettings(), webSettings(), mcpSettings(), delegationSettings())},
		{groupGuard, append(guardSettings(), judgeSettings()...)},
		{groupWork, workSettings()},
		{groupSession, sessionSettings()},
		{groupPlatform, platformSettings()},
		{groupLog, logSettings()},
		{groupConfig, configSettings()},
	}
	var all [][]Setting
	for _, g := range groups {
		for i := range g.rows {
			g.rows[i].Group = g.name
		}
		all = append(all, g.rows)
	}
	return slices.Concat(all...)
})

func agentSettings() []Setting {
	return []Setting{
		{Name: "mode", Value: "MODE", Default: ModePTY, Shown: "pty; oneshot with SPRING_AGENT_ARGV",
			Doc: "pty, lines, oneshot, mcp, acp, stream or auto: help drivers",
			bind: func(c *Config) value {
				return oneOf(&c.Mode, ModePTY, ModeLines, ModeOneshot, ModeMCP, ModeACP, ModeStream, ModeAuto)
			}},
		{Name: "agent-option", Value: "KEY=VALUE,…", List: true,
			Doc:  "choose what an agent in acp or stream offers; repeatable",
			bind: func(c *Config) value { return agentOptions(&c.AgentOptions) }},
		{Name: "workspace", Platform: "SPRING_WORKSPACE_PATH", Value: "DIR", Shown: "the current directory",
			Doc:  "directory that the agent runs in",
			bind: func(c *Config) value { return text(&c.Workspace) }},
		{Name: "user", Value: "UID[:GID]",
			Doc:  "run agent and tools under this id (needs root)",
			bind: func(c *Config) value { return user(&c.User) }},
		{Name: "cancel-grace", Platform: "AGENT_CANCEL_GRACE_MS", Value: "D", Default: "5s",
			Doc:     "from TERM to KILL when something is stopped",
			bind:    func(c *Config) value { return duration(&c.CancelGrace, zeroMeansZero) },
			foreign: milliseconds},
		{Name: "drain-timeout", Value: "D", Default: "2s",
			Doc:  "what running work gets when the sidecar is asked to end",
			bind: func(c *Config) value { return duration(&c.DrainTimeout, zeroMeansZero) }},
		{Name: "headless", Default: "false",
			Doc:  "nobody answers: questions fail, or are declined, at once",
			bind: func(c *Config) value { return truth(&c.Headless) }},
		{Name: "runtime-dir", Rare: true, Value: "DIR", Shown: "XDG_RUNTIME_DIR, /run, /dev/shm, TMPDIR or /tmp",
			Doc:  "directory for the channel's socket",
			bind: func(c *Config) value { return text(&c.RuntimeDir) }},
		{Name: "state-dir", Value: "DIR", Shown: ".spring/bridge in the workspace; tasks only with SPRING_WORKSPACE_PATH",
			Doc:  "directory for tasks and threads over restarts, made when needed",
			bind: func(c *Config) value { return text(&c.StateDir) }},
	}
}

func serverSettings() []Setting {
	return []Setting{
		{Name: "host", Value: "ADDR", Default: loopback, Shown: "127.0.0.1; all interfaces in a container",
			Doc:  "address to listen on",
			bind: func(c *Config) value { return host(&c.Host) }},
		{Name: "port", Platform: "AGENT_PORT", Value: "N", Default: "8999",
			Doc:  "port to listen on, 0 for any free one",
			bind: func(c *Config) value { return number(&c.Port, 0, 65535) }},
		{Name: "public-url", Value: "URL", Shown: "from the request",
			Doc:  "address that the card gives",
			bind: func(c *Config) value { return address(&c.PublicURL) }},
		{Name: "name", Platform: "AGENT_NAME", Value: "NAME", Shown: "the command's",
			Doc:  "agent's name on the card",
			bind: func(c *Config) value { return text(&c.Name) }},
		{Name: "card", Value: "FILE",
			Doc:  "JSON laid over the card: description, provider, skills, …",
			bind: func(c *Config) value { return text(&c.Card) }},
		{Name: "accept", Value: "TYPE,…", List: true,
			Doc:  "further media types of messages, image/* too; repeatable",
			bind: func(c *Config) value { return mediaTypes(&c.Accept) }},
		{Name: "allowed-host", Value: "NAME,…", List: true,
			Doc:  "names under which browsers may call; repeatable",
			bind: func(c *Config) value { return hostnames(&c.AllowedHosts) }},
		{Name: "cors", Value: "ORIGIN,…", List: true,
			Doc:  "origins of web pages that may call; repeatable",
			bind: func(c *Config) value { return origins(&c.CORS) }},
		{Name: "max-body", Rare: true, Value: "SIZE", Default: txt.FormatSize(server.DefaultMaxBody),
			Doc:  "largest request body, and largest file of a call over the channel",
			bind: func(c *Config) value { return size(&c.MaxBody, 1<<10, 1<<30) }},
		{Name: "header-timeout", Rare: true, Value: "D", Default: formatDuration(server.DefaultReadHeaderTimeout),
			Doc:  "time to send the request's headers",
			bind: func(c *Config) value { return duration(&c.HeaderTimeout, positive) }},
		{Name: "idle-timeout", Rare: true, Value: "D", Default: formatDuration(server.DefaultIdleTimeout),
			Doc:  "life of a connection without requests",
			bind: func(c *Config) value { return duration(&c.IdleTimeout, positive) }},
		{Name: "stall-timeout", Rare: true, Value: "D", Default: formatDuration(server.DefaultStallTimeout),
			Doc:  "a client that takes nothing for so long is cut off",
			bind: func(c *Config) value { return duration(&c.StallTimeout, positive) }},
	}
}

func toolSettings() []Setting {
	return []Setting{
		{Name: "manifest", Platform: "SPRING_TOOLS_MANIFEST", Value: "FILE",
			Doc:  "JSON list of tools, followed as it changes",
			bind: func(c *Config) value { return text(&c.Manifest) }},
		{Name: "manifest-lenient", Default: "false",
			Doc:  "start without tools when the manifest is bad",
			bind: func(c *Config) value { return truth(&c.ManifestLenient) }},
		{Name: "tools", Value: "NAME,…", List: true, Default: tool.None,
			Doc:  "tools of the sidecar's own: core, none, or names; repeatable",
			bind: func(c *Config) value { return coreTools(&c.Tools) }},
		{Name: "skills", Value: "DIR,…", List: true,
			Doc:  "folders with SKILL.md in it are skills; followed; repeatable",
			bind: func(c *Config) value { return directories(&c.Skills) }},
		{Name: "workspace-skills", Default: "false",
			Doc:  "show the workspace's skills, and take the tools they bring",
			bind: func(c *Config) value { return truth(&c.WorkspaceSkills) }},
		{Name: "give-tools", Default: GiveOff,
			Doc:  "offer the tools to the agent by MCP; =auto: if possible",
			bind: func(c *Config) value { return switchOr(&c.GiveTools, GiveOn, GiveOff, GiveAuto) }},
		{Name: "govern", Default: GovernOff,
			Doc:  "leave the agent no tools but the sidecar's; =strict",
			bind: func(c *Config) value { return switchOr(&c.Govern, GovernOn, GovernOff, GovernStrict) }},
		{Name: "reserved-namespace", Rare: true, Value: "NS,…", List: true,
			Doc:  "tool namespaces refused besides sv and core; repeatable",
			bind: func(c *Config) value { return namespaces(&c.ReservedNamespace) }},
		{Name: "surface", Value: "FILE",
			Doc:  "tools that are listed or searched for; followed",
			bind: func(c *Config) value { return text(&c.Surface) }},
		{Name: "mcp-proxy-url", Rare: true, Platform: "SPRING_MCP_PROXY_URL", Value: "URL", Shown: "none",
			Doc:  "the platform's MCP server, whose tools are sv.*",
			bind: func(c *Config) value { return mcpProxy(&c.MCPProxyURL) }},
		{Name: "image-digest", Rare: true, Platform: "SPRING_IMAGE_DIGEST", Value: "DIGEST",
			Doc:  "the image's digest, for the provenance of its tools",
			bind: func(c *Config) value { return imageDigest(&c.ImageDigest) }},
		{Name: "root", Value: "DIR,…", List: true,
			Doc:  "directory that tools may use besides the workspace; repeatable",
			bind: func(c *Config) value { return directories(&c.Roots) }},
		{Name: "unprotect", Rare: true, Value: "PATH,…", List: true,
			Doc:  "protected path (help policy) that tools may write; repeatable",
			bind: func(c *Config) value { return directories(&c.Unprotect) }},
		{Name: "sandbox", Value: "MODE", Default: SandboxAuto,
			Doc:  "confine tools' programs: off, auto or required",
			bind: func(c *Config) value { return oneOf(&c.Sandbox, SandboxOff, SandboxAuto, SandboxRequired) }},
		{Name: "call-timeout", Value: "D", Default: "none",
			Doc:  "longest that a tool call may run",
			bind: func(c *Config) value { return duration(&c.CallTimeout, zeroMeansNone) }},
		{Name: "max-output", Rare: true, Value: "SIZE", Default: "200KB",
			Doc:  "result of a tool that declares no limit is cut here",
			bind: func(c *Config) value { return size(&c.MaxOutput, 1, 1<<30) }},
		{Name: "output-bytes", Rare: true, Value: "SIZE", Default: "1GiB",
			Doc:  "a tool is stopped when all of its output is longer than this",
			bind: func(c *Config) value { return size(&c.OutputBytes, 1, math.MaxInt64) }},
		{Name: "outputs-total", Rare: true, Value: "SIZE", Default: "10GiB",
			Doc:  "outputs kept together; the oldest make room",
			bind: func(c *Config) value { return size(&c.OutputsTotal, 1, math.MaxInt64) }},
		{Name: "changes-total", Rare: true, Value: "SIZE", Default: "64MiB",
			Doc:  "kept of what our tools changed, for changes and undo; 0: nothing",
			bind: func(c *Config) value { return size(&c.ChangesTotal, 0, math.MaxInt64) }},
		{Name: "changes-file", Rare: true, Value: "SIZE", Default: "16MiB",
			Doc:  "a longer file is not kept by changes",
			bind: func(c *Config) value { return size(&c.ChangesFile, 0, 1<<30) }},
		{Name: "tool-prompt", Rare: true, Value: "TEXT", Shown: "the profile's; one line of JSON",
			Doc:  "how a call is typed: {name} and {arguments.x} are filled in",
			bind: func(c *Config) value { return text(&c.ToolPrompt) }},
	}
}

func workSettings() []Setting {
	return []Setting{
		{Name: "max-concurrency", Value: "N", Default: "8",
			Doc:  "processes at once for turns, and for calls",
			bind: func(c *Config) value { return number(&c.MaxConcurrency, 1, 10_000) }},
		{Name: "queue", Value: "N", Default: "100",
			Doc:  "turns, and calls, that may wait; one named caller has half",
			bind: func(c *Config) value { return number(&c.Queue, 0, 1_000_000) }},
		{Name: "turn-timeout", Value: "D", Default: "none",
			Doc:  "deadline of a turn",
			bind: func(c *Config) value { return duration(&c.TurnTimeout, zeroMeansNone) }},
		{Name: "ask-timeout", Value: "D", Default: "10m",
			Doc:  "how long a question waits for its answer",
			bind: func(c *Config) value { return duration(&c.AskTimeout, positive) }},
		{Name: "task-bytes", Rare: true, Value: "SIZE", Default: "8MiB",
			Doc:  "artifact content that one task keeps",
			bind: func(c *Config) value { return size(&c.TaskBytes, 1<<10, 1<<40) }},
		{Name: "keep-bytes", Rare: true, Value: "SIZE", Default: "64MiB",
			Doc:  "memory for finished tasks, one for each 64KiB at most",
			bind: func(c *Config) value { return size(&c.KeepBytes, 1<<10, 1<<40) }},
		{Name: "retain-bytes", Rare: true, Value: "SIZE", Default: "1GiB",
			Doc:  "disk space for finished tasks, one for each 100KiB at most",
			bind: func(c *Config) value { return size(&c.RetainBytes, 1<<10, 1<<50) }},
		{Name: "retain-for", Rare: true, Value: "D", Default: "none",
			Doc:  "how long finished tasks are kept on disk at most",
			bind: func(c *Config) value { return duration(&c.RetainFor, zeroMeansNone) }},
	}
}

func sessionSettings() []Setting {
	return []Setting{
		{Name: "sessions", Value: "N", Default: "1",
			Doc:  "agent processes; more than one: one per context",
			bind: func(c *Config) value { return number(&c.Sessions, 1, 1000) }},
		{Name: "session-idle", Rare: true, Value: "D", Default: "30m",
			Doc:  "a session of several is closed after so long without a turn",
			bind: func(c *Config) value { return duration(&c.SessionIdle, positive) }},
		{Name: "mcp-sessions", Rare: true, Value: "N", Default: "256",
			Doc:  "MCP sessions over HTTP at once",
			bind: func(c *Config) value { return number(&c.MCPSessions, 1, 10_000) }},
		{Name: "mcp-caller-sessions", Rare: true, Value: "N", Default: "32",
			Doc:  "MCP sessions of one caller at once",
			bind: func(c *Config) value { return number(&c.MCPCallerSessions, 1, 10_000) }},
		{Name: "mcp-session-idle", Rare: true, Value: "D", Default: "1h",
			Doc:  "an MCP session is closed after so long without a request",
			bind: func(c *Config) value { return duration(&c.MCPSessionIdle, positive) }},
		{Name: "restart", Value: "WHEN", Default: RestartNever,
			Doc:  "start an ended agent again: never, on-failure or always",
			bind: func(c *Config) value { return oneOf(&c.Restart, RestartNever, RestartOnFailure, RestartAlways) }},
		{Name: "deliver", Value: "HOW", Default: DeliverAuto,
			Doc:  "messages reach the agent by auto, channel or terminal",
			bind: func(c *Config) value { return oneOf(&c.Deliver, DeliverAuto, DeliverChannel, DeliverTerminal) }},
		{Name: "profile", Value: "NAME|FILE", Shown: "by the command's name",
			Doc:  "what is known of the agent's screen; generic: nothing",
			bind: func(c *Config) value { return text(&c.Profile) }},
		{Name: "no-hooks", Default: "false",
			Doc:  "do not make the agent report by its hooks",
			bind: func(c *Config) value { return truth(&c.NoHooks) }},
		{Name: "record", Value: "FILE",
			Doc:  "record the agent's terminal (asciicast v3)",
			bind: func(c *Config) value { return text(&c.Record) }},
		{Name: "ready-timeout", Rare: true, Value: "D", Shown: "the profile's; 30s",
			Doc:  "wait before the first turn for the agent to be ready",
			bind: func(c *Config) value { return duration(&c.ReadyTimeout, positive) }},
		{Name: "prompt-pattern", Rare: true, Value: "REGEXP", Shown: "the profile's; those of shells and interpreters",
			Doc:  "end of output that means the agent waits for a line",
			bind: func(c *Config) value { return pattern(&c.PromptPattern) }},
		{Name: "allow-agent-commands", Default: "false",
			Doc:  "let typed lines begin with / ! # or @",
			bind: func(c *Config) value { return truth(&c.AllowAgentCommands) }},
		{Name: "terminal", Value: "auto|off", Default: "auto",
			Doc:  "auto: hand our terminal to the agent when there is one",
			bind: func(c *Config) value { return oneOf(&c.Terminal, "auto", "off") }},
		{Name: "size", Value: "COLSxROWS", Default: formatCells(tty.Size{Cols: term.DefaultCols, Rows: term.DefaultRows}),
			Doc:  "size of the agent's terminal, where nobody sits at it",
			bind: func(c *Config) value { return cells(&c.Size) }},
		{Name: "tee", Default: "false",
			Doc:  "copy the agent's screen bytes to stdout",
			bind: func(c *Config) value { return truth(&c.Tee) }},
	}
}

func platformSettings() []Setting {
	return []Setting{
		{Name: "output-format", Platform: "SPRING_AGENT_OUTPUT_FORMAT", Value: "FORMAT", Default: FormatText,
			Doc:  "what the agent prints: text, json or stream-json",
			bind: func(c *Config) value { return oneOf(&c.OutputFormat, FormatText, FormatJSON, FormatStreamJSON) }},
		{Name: "thread-id-arg-create", Platform: "SPRING_THREAD_ID_ARG_CREATE", Value: "ARG",
			Doc:  "argument before the context's id on its first turn",
			bind: func(c *Config) value { return text(&c.ThreadIDCreate) }},
		{Name: "thread-id-arg-resume", Platform: "SPRING_THREAD_ID_ARG_RESUME", Value: "ARG",
			Doc:  "argument before the context's id on later turns",
			bind: func(c *Config) value { return text(&c.ThreadIDResume) }},
	}
}

func logSettings() []Setting {
	return []Setting{
		{Name: "log-level", Value: "LEVEL", Default: "info",
			Doc:  "debug, info, warn or error",
			bind: func(c *Config) value { return level(&c.LogLevel) }},
		{Name: "log-format", Value: "FORMAT", Default: "auto",
			Doc:  "text, json or auto (text on a terminal)",
			bind: func(c *Config) value { return oneOf(&c.LogFormat, "auto", "text", "json") }},
		{Name: "log-file", Value: "FILE", Shown: "stderr; a file in XDG_STATE_HOME while a terminal is handed over",
			Doc:  "append the log to this file",
			bind: func(c *Config) value { return text(&c.LogFile) }},
	}
}

func configSettings() []Setting {
	return []Setting{
		{Name: "config", Value: "FILE", NotInFile: true,
			Doc:  "JSON object of settings by these names, and command",
			bind: func(c *Config) value { return text(&c.File) }},
	}
}
