package spec

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// Launch describes an agent that is about to be started.
type Launch struct {
	agent string // the name of the agent, for the command of its hook

	// Argv and Env are those with which it would otherwise be started.
	Argv, Env []string
	// WorkDir is its working directory; "" means ours.
	WorkDir string
	// Dir is a private directory that the agent's user can read, and that is removed
	// with the session. "" means that there is none: only what needs no file is
	// possible.
	Dir string
	// Write makes a private file in Dir that belongs to the agent's user. If it is nil,
	// the file has mode 0600 and belongs to us.
	Write func(name string, data []byte) error
	// Protect makes a file that the agent's user can read and only ours can change, in a
	// directory in which safe finds nothing wrong, and returns its path. It is removed
	// with the session. nil means that Dir is the only place.
	Protect func(name string, data []byte, safe func(dir string) error) (path string, err error)
	// Self is the absolute path of a binary that has `emit hook` and `mcp`; "" means
	// that there is none.
	Self string
	// Socket and Token are the channel's; "" means that there is none.
	Socket, Token string
	// Person says that a person is at the agent's terminal. Nothing that would beep or
	// pop up there is switched on.
	Person bool
	// ToolTime is how long a call of our tools may take: waiting for a person's approval,
	// and running. The agent must not give up before. 0 means LeastToolTime.
	ToolTime time.Duration
	// Printed is what the agent has printed for its recipe: see Governing.Prints.
	Printed []byte
	// Conversation is the one that the process is to resume, if it can hold only one, in the
	// agent's own words; "" for a new one.
	Conversation string
}

// Plan says how to start the agent.
type Plan struct {
	Argv, Env []string
	// Source reads what the agent reports by itself until ctx ends, and then returns
	// nil; any other end is an error. It calls report from one goroutine, in order. It
	// should run as long as the agent's process does, from its start, and its first
	// report, Starting, says that the agent's events are received from now on. nil
	// means that there is nothing to read: reports come over the channel.
	Source func(ctx context.Context, report func(channel.Report)) error
}

// With returns the command with more flags. They go to its end, because the program
// may be a script whose interpreter comes first, but before a "--".
func (l *Launch) With(flags ...string) []string {
	end := len(l.Argv)
	if i := slices.Index(l.Argv, "--"); i > 0 {
		end = i
	}
	return slices.Concat(l.Argv[:end], flags, l.Argv[end:])
}

// Flag finds the last value that the command gives a flag, as "--name value" or
// "--name=value", and where the flag is; 0 if it is not there.
func (l *Launch) Flag(name string) (at int, value string) {
	for i, arg := range l.Argv {
		if i == 0 {
			continue
		}
		if arg == "--" {
			break
		}
		if v, ok := strings.CutPrefix(arg, name+"="); ok {
			at, value = i, v
		}
		if arg == name && i+1 < len(l.Argv) {
			at, value = i, l.Argv[i+1]
		}
	}
	return at, value
}

// SetFlag returns the command with another value for the flag at that place.
func (l *Launch) SetFlag(at int, value string) []string {
	argv := slices.Clone(l.Argv)
	if name, _, joined := strings.Cut(argv[at], "="); joined {
		argv[at] = name + "=" + value
	} else {
		argv[at+1] = value
	}
	return argv
}

// Getenv returns the agent's variable, "" if it is unset. The last one counts, as it
// does for the agent.
func (l *Launch) Getenv(name string) string { return Getenv(l.Env, name) }

// Getenv returns a variable of an environment, as [Launch.Getenv] does.
func Getenv(env []string, name string) string {
	value := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

// Path returns the path of a file in Dir.
func (l *Launch) Path(name string) string { return filepath.Join(l.Dir, name) }

// Resolve returns a path as the agent reads it.
func (l *Launch) Resolve(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(l.WorkDir, path)
}

// Flags finds every place of a flag among the arguments, as "--name value" or
// "--name=value".
func (l *Launch) Flags(name string) (at []int) {
	for i, arg := range l.Argv {
		if arg == "--" {
			break
		}
		if i > 0 && (arg == name || strings.HasPrefix(arg, name+"=")) {
			at = append(at, i)
		}
	}
	return at
}
