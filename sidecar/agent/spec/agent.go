package spec

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// Agent is what is known of one agent.
type Agent struct {
	// Name is the name of its profile and of its hooks.
	Name string
	// Profile is the file that says how it is recognised by its command, started,
	// typed to, interrupted and ended, and how its screen is read: see package
	// profile.
	Profile string
	// Hooks make it report out of band; nil means that only its terminal can tell.
	Hooks *Hooks
	// Tools says how to start the agent so that it is offered the sidecar's tools by MCP,
	// for this run only. A field that the Plan leaves nil stays as in the Launch. With an
	// error, which says why that is not possible, the Plan does not count. nil means that
	// nobody knows how.
	Tools func(*Launch) (Plan, error)
	// Govern says how the agent is started so that its model has no tools but ours; nil
	// means that nobody knows how.
	Govern *Governing
	// Dialect reads the structured output of its one-shot mode; nil means that it has
	// none.
	Dialect *Dialect
	// Ways are the modes that suit it, the best first; none means that only pty is known to.
	Ways []Way
	// ACP says how to start it as an agent of the Agent Client Protocol; nil means that its command
	// is left as it is.
	ACP func(*Launch) (Plan, error)
	// Explain completes what it asks for over ACP, itself or by an adapter: see [peer.Process]. nil means that
	// ACP says it all.
	Explain func(call json.RawMessage, a *peer.Action)
	// Adapters are the names of the programs that speak ACP for it, nil for none.
	Adapters []string
	// Protected are the paths of files that name programs which the agent starts: its settings, hooks, plugins, servers. No
	// tool may write them: see policy.Protection.Anywhere, which says how they are written.
	Protected []string
	// Stream is how it is spoken to in messages of its own; nil means that it has none.
	Stream *Stream
	// Rules makes a file of rules (see package policy) of the agent's own settings, of which
	// name is for messages. What could not be carried over is in left, one line each. home
	// stands for ~ in paths, "" if it is not known. The error says what is wrong with the
	// settings. nil means that nobody knows how.
	Rules func(name string, settings []byte, home string) (file []byte, left []string, err error)
	// Skills is where the agent looks for a project's skills, relative to the workspace, "" for nowhere.
	Skills string
}

// Hooks make an agent report what it is doing.
type Hooks struct {
	// Install says how to start the agent so that it reports. A field that a Plan
	// leaves nil stays as in the Launch, with an error too.
	Install func(*Launch) (Plan, error)
	// Read turns what the agent gave its hook into a report: see [Agent.Read]. It is
	// nil if the agent calls no program, and the Plan has a Source instead.
	Read func(payload []byte, tail func(path string) []byte) (channel.Report, bool)
}

// Prepare says how to start the agent so that it reports. The Plan can always be used:
// with an error, which says why, it starts the agent as it was, or with the part that
// was possible.
func (a *Agent) Prepare(l Launch) (Plan, error) {
	l = a.complete(l)
	if len(l.Argv) == 0 {
		return Plan{Argv: l.Argv, Env: l.Env}, errNoCommand
	}
	var plan Plan
	var err error
	if a.Hooks != nil {
		plan, err = a.Hooks.Install(&l)
	}
	if err != nil {
		err = fmt.Errorf("%s's hooks are not installed: %w", a.Name, err)
	}
	return plan.over(&l), err
}

var errNoCommand = errors.New("there is no command")

// complete returns a Launch of this agent that can write files.
func (a *Agent) complete(l Launch) Launch {
	l.agent = a.Name
	if l.Write == nil {
		l.Write = func(name string, data []byte) error {
			return os.WriteFile(filepath.Join(l.Dir, name), data, 0o600)
		}
	}
	return l
}

// over returns the Plan with the Launch's own for what it leaves nil.
func (p Plan) over(l *Launch) Plan {
	if p.Argv == nil {
		p.Argv = l.Argv
	}
	if p.Env == nil {
		p.Env = l.Env
	}
	return p
}

// Read turns what the agent gave its hook into a report. It reports false if that says
// nothing of what the agent is doing: it is an event of another kind or of another
// thread, or it cannot be read. If the payload only points to what was said, tail is
// asked for the end of that file, which may begin in the middle of a line; tail
// returns nil for a file that cannot be read.
func (a *Agent) Read(payload []byte, tail func(path string) []byte) (channel.Report, bool) {
	if len(payload) > MaxPayload || a.Hooks == nil || a.Hooks.Read == nil {
		return channel.Report{}, false
	}
	r, ok := a.Hooks.Read(payload, tail)
	r.Message, r.Tool = text.Shorten(r.Message, MaxMessage), text.Line(r.Tool, maxTool)
	return r, ok
}
