package peer

import (
	"context"
	"encoding/json"
	"errors"
)

// Kind says what a tool does, in ACP's words.
type Kind string

// The kinds.
const (
	Read       Kind = "read"
	Edit       Kind = "edit"
	Delete     Kind = "delete"
	Move       Kind = "move"
	Search     Kind = "search"
	Execute    Kind = "execute"
	Think      Kind = "think"
	Fetch      Kind = "fetch"
	SwitchMode Kind = "switch_mode"
	Other      Kind = "other"
)

// ParseKind returns the kind of that name; any other name is Other.
func ParseKind(name string) Kind {
	switch k := Kind(name); k {
	case Read, Edit, Delete, Move, Search, Execute, Think, Fetch, SwitchMode:
		return k
	}
	return Other
}

// Action is what an agent wants to do by a tool of its own. All of it is the agent's word.
type Action struct {
	// ID is the agent's id of the tool's use, "" if it has none. Two may be alike.
	ID   string
	Kind Kind
	// Name is the agent's own name of the tool ("Bash"), "" if it does not say. Title says in words what it
	// does.
	Name, Title string
	// Input are the tool's arguments, nil if they are not told.
	Input json.RawMessage
	// Reads and Writes are the paths that are read and written, absolute or relative to the agent's
	// directory; Hosts are hosts or URLs.
	Reads, Writes, Hosts []string
	// Command is what is run, as source for a shell; Argv, if it is set, is run without one.
	Command string
	Argv    []string
	// Dir is where it is run, "" for the agent's directory.
	Dir string
	// Diffs are the changes that would be made.
	Diffs []Diff
	// Ours is set if it is a call of a tool that the agent was given by us (Conversation.Tools): that is
	// judged when it comes to us.
	Ours bool
	// NoAlways is set if the agent cannot be told that the same is allowed from now on. It is
	// remembered by us then.
	NoAlways bool
}

// Answer is what was decided.
type Answer struct {
	Allowed bool
	// Always is set if a person allowed it until the session ends. Agents are told so only if what they would then allow is no more than this.
	Always bool
	// Reason is why it is not allowed, for the model; "" if nobody said.
	Reason string
}

// ErrWithdrawn says that what was asked is no longer of interest: the turn has been stopped.
var ErrWithdrawn = errors.New("the turn was stopped")

// Host is what an agent may use of this machine through us. What it does is judged by the rules: what
// it was allowed in this turn (Permit) is not asked for again.
type Host interface {
	// ReadFile returns a text file of at most MaxFile bytes, below a root of the task. line is the first line
	// to return, from 1, and limit is how many; 0 for all.
	ReadFile(ctx context.Context, path string, line, limit int) (string, error)
	// WriteFile writes a text file, below a root of the task, atomically.
	WriteFile(ctx context.Context, path, content string) error
	// Run starts a program, which ends with the turn at the latest, unless it was released before.
	Run(ctx context.Context, p Program) (Terminal, error)
}

// MaxFile is the longest file that an agent may read or write through us, in bytes.
const MaxFile = 16 << 20

// Program is what an agent has us run.
type Program struct {
	Argv []string
	Env  []string // in addition to the agent's own, "NAME=value"
	Dir  string   // absolute; "" for the agent's directory
	// MaxOutput is how much of the end of its output is kept, in bytes; 0 for 1 MiB; at most 8 MiB are kept.
	MaxOutput int
}

// Terminal is a program that was started. Its methods may be called from many goroutines.
type Terminal interface {
	// Output returns the end of what it wrote so far, on both streams, and whether the beginning is cut off.
	Output() (text string, cut bool)
	// Exited is closed when it has ended; then Exit says how: the exit code, or the signal's name.
	Exited() <-chan struct{}
	Exit() (code int, signal string)
	// Kill ends it. Release ends it too, and forgets what it wrote.
	Kill()
	Release()
}
