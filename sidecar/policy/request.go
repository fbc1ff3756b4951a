package policy

import (
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy/match"
)

// Capability is a kind of thing that a call does outside of the sidecar.
type Capability string

// The capabilities of which rules speak.
const (
	FSRead   Capability = "fs.read"
	FSWrite  Capability = "fs.write"
	NetFetch Capability = "net.fetch"
	ShellRun Capability = "shell.run"
)

// Capabilities lists the capabilities.
func Capabilities() []Capability { return []Capability{FSRead, FSWrite, NetFetch, ShellRun} }

// OwnSource is the Source of the tools that an agent has by itself.
const OwnSource = "agent"

// OwnTool returns the name that rules have for the agent's own tools of a kind (manifest.ToolKinds).
func OwnTool(kind string) string { return OwnSource + "." + kind }

// Use is one thing that a call uses, known before it runs.
type Use struct {
	Capability Capability
	// Pointer is the JSON pointer of the argument from which the value comes, "" for the
	// bridge's own program or a declared scope.
	Pointer string
	// Value is an absolute, cleaned path with its links resolved as far as they exist; a
	// host, or host:port; or a command line as it was written.
	Value string
	// Written is the path as it was named, absolute and cleaned, if that is not Value: links were followed.
	// A protected path is one under both names.
	Written string
	// Argv is set for a ShellRun that starts exactly this program without a shell. nil
	// means that Value is shell source, which is judged in its parsed form.
	Argv []string
	// Declared says that Value is a pattern out of what the tool requires, not a value
	// of this call. A rule that denies or asks matches it if they may overlap, a rule that
	// allows only if it covers it. A declared command is written as rules write it.
	Declared bool
	// AtConnect says of a declared pattern of hosts that each host is judged when it is connected
	// to: a rule that denies a part of the pattern leaves the rest of it to be reached.
	AtConnect bool
	// Named says of a declared pattern of paths that only the call's command line tells which of them it
	// uses, as far as it names them. A rule that denies what the line names denies the call; one that denies
	// another part of the pattern makes it a call to be asked about.
	Named bool
	// Doubt says why it is not certain that this is what is used, "" if it is: no rule allows it
	// then, and it is asked about at best.
	Doubt string
}

// Request is one call as the rules see it: the permission view. It holds no defaults
// of the schema, which nobody wrote.
type Request struct {
	Tool *manifest.Tool
	// Source says where the tool's definition comes from: "manifest", "registry",
	// "mcp:NAME"; OwnSource for a tool that the agent has by itself.
	Source string
	// Arguments are the call's arguments: one line of JSON, an object that satisfies
	// the tool's schema.
	Arguments string
	// Uses are what the call uses. They and Arguments are never changed.
	Uses []Use
	// Caller is the authenticated name, "" if anonymous.
	Caller string
	// Agent is set if the wrapped agent makes the call itself.
	Agent bool
	// ContextID is the conversation to which the call belongs.
	ContextID string
	// Key names what a person's "always" covers: whoever makes it puts the tool's source and
	// definition, what is judged, the caller and the context into it. "": no answer of the
	// session holds for this call.
	Key string
	// Roots are what {workspace}, {ad-hoc} and {user-data} stand for in this call. nil: what
	// Options.Roots says.
	Roots Roots
	// Running says that the call runs, and that it is about what it uses now: an ask of the tool's
	// own rules was answered for the whole call. It counts only where no rule speaks of a use.
	Running bool
	// Dir is the directory in which a command line runs: redirections are relative to
	// it. "": where a relative one leads is not known.
	Dir string
	// Leads returns where an absolute path leads that a redirection names, with its links resolved as they are now. nil: it counts
	// as it is written alone.
	Leads func(path string) (string, error)
}

// Roots are directories by the name of the variable that stands for them in patterns:
// absolute, cleaned paths with their links resolved.
type Roots = match.Roots
