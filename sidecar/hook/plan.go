package hook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// Options describe an agent that is about to be started.
type Options struct {
	// Agent is whose hooks these are: claude, codex, gemini or opencode. Any other
	// has none.
	Agent string
	// Argv and Env are how it would be started otherwise.
	Argv, Env []string
	// WorkDir is its working directory, "" ours.
	WorkDir string
	// Dir is a private directory that the agent's user can read, and that goes
	// with the session. "" for none: only what needs no file can be had.
	Dir string
	// Write makes a private file in Dir that belongs to the agent's user. nil: 0600
	// and ours.
	Write func(name string, data []byte) error
	// Self is the absolute path of a binary that has `emit hook`; "" for none.
	Self string
	// Socket and Token are the channel's; "" for none.
	Socket, Token string
	// Person: somebody sits at the agent's terminal. Nothing that would beep or
	// pop up there is switched on.
	Person bool
}

// Plan is how to start the agent.
type Plan struct {
	Argv, Env []string
	// Source reads what the agent says by itself until ctx ends, and then returns
	// nil; any other end is an error. It calls report from one goroutine, in order.
	// It is to run as long as the agent's process does, from its start, and the
	// first report, Starting, says that the agent is heard from now on. nil: there
	// is nothing to read, reports come over the channel.
	Source func(ctx context.Context, report func(channel.Report)) error
}

// Prepare says how to start an agent so that it reports. The Plan is always good
// to use: with an error, which says why, it is the agent as it was, or with what
// could be had.
func Prepare(o Options) (Plan, error) {
	if o.Write == nil {
		o.Write = func(name string, data []byte) error {
			return os.WriteFile(filepath.Join(o.Dir, name), data, 0o600)
		}
	}
	var plan Plan
	var err error
	if len(o.Argv) == 0 {
		return Plan{Argv: o.Argv, Env: o.Env}, errors.New("there is no command")
	}
	switch o.Agent {
	case "claude":
		plan, err = o.claude()
	case "codex":
		plan, err = o.codex()
	case "gemini":
		plan, err = o.gemini()
	case "opencode":
		plan, err = o.opencode()
	}
	if plan.Argv == nil {
		plan.Argv = o.Argv
	}
	if plan.Env == nil {
		plan.Env = o.Env
	}
	if err != nil {
		err = fmt.Errorf("%s's hooks are not installed: %w", o.Agent, err)
	}
	return plan, err
}

// with is the command with more flags: at its end, for the program may be a
// script whose interpreter comes first, but before a "--".
func (o *Options) with(flags ...string) []string {
	end := len(o.Argv)
	if i := slices.Index(o.Argv, "--"); i > 0 {
		end = i
	}
	return slices.Concat(o.Argv[:end], flags, o.Argv[end:])
}

// flag finds the last value that the command gives a flag, as "--name value" or
// "--name=value", and where the flag is; 0 when it is not there.
func (o *Options) flag(name string) (at int, value string) {
	for i, arg := range o.Argv {
		if i == 0 {
			continue
		}
		if arg == "--" {
			break
		}
		if v, ok := strings.CutPrefix(arg, name+"="); ok {
			at, value = i, v
		}
		if arg == name && i+1 < len(o.Argv) {
			at, value = i, o.Argv[i+1]
		}
	}
	return at, value
}

// setFlag is the command with another value for the flag that is at a place.
func (o *Options) setFlag(at int, value string) []string {
	argv := slices.Clone(o.Argv)
	if name, _, joined := strings.Cut(argv[at], "="); joined {
		argv[at] = name + "=" + value
	} else {
		argv[at+1] = value
	}
	return argv
}

// getenv is the agent's variable, "" when it is unset. As for the agent, the
// last one counts.
func (o *Options) getenv(name string) string {
	value := ""
	for _, kv := range o.Env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

// path is a file in Dir.
func (o *Options) path(name string) string { return filepath.Join(o.Dir, name) }

// resolve is a path as the agent reads it.
func (o *Options) resolve(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(o.WorkDir, path)
}
