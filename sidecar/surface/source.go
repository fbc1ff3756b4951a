package surface

import (
	"context"
	"log/slog"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Viewer is who looks at the tools, or calls one.
type Viewer struct {
	Caller string // the authenticated name, "" if anonymous
	Agent  bool   // a process of the sidecar's own
	// Task is that of the turn or the call which the viewer works on; nil for none.
	Task *task.Task
	// Context is the conversation, "" if the viewer is in none. A Task has its own.
	Context string
}

// Conversation returns the conversation that the viewer is in, "" for none.
func (v Viewer) Conversation() string {
	if v.Task != nil {
		return v.Task.ContextID()
	}
	return v.Context
}

// Owner returns the caller whose conversation it is.
func (v Viewer) Owner() string {
	if v.Task != nil {
		return v.Task.Owner()
	}
	return v.Caller
}

// Image is what the agent's image declares: the manifest, the tools written in Go and, if the
// wrapped command is an MCP server, its list.
type Image struct {
	Snapshot *manifest.Snapshot // nil: nothing
	// Digest identifies the image, as in "sha256:…"; "" if it is not known.
	Digest string
}

// Connectors are all connectors that there are. Their owner does not change them: another list
// is another pointer.
type Connectors struct{ All []Connector }

// Connector is one source of tools outside the image, such as an MCP server.
type Connector struct {
	Slug string
	// Namespace is that of its tools; "" is the slug.
	Namespace string
	Tools     []*manifest.Tool
	// Problem says why it cannot be used at all, "" if it can be. Its Tools are those that it
	// had before.
	Problem string
	// Lost are its tools that cannot be served.
	Lost []Lost
}

// Lost is a tool that its source offers and that is not served.
type Lost struct {
	Name        string // its id, "" if it has none
	Description string
	Native      string // what its source calls it, "" if that is its id
	Text        string // why, as a sentence without its end
}

// Platform is what the platform provides to one viewer. Its owner does not change it.
type Platform struct {
	Tools []*manifest.Tool
	// Absent says why none of them can be called now, and is the answer to every call in the
	// platform's namespace; nil if they can be.
	Absent *Absence
}

// Skills are the tools of the skills that are loaded in one conversation. Their owner does not change them.
type Skills struct{ All []Skill }

// Skill is one loaded skill that brings tools.
type Skill struct {
	Name  string
	Tools []*manifest.Tool
}

// Options are the sources of a Surface. Their functions must not block: they return what is
// known now, and the same pointer until that changes.
type Options struct {
	Image func() Image
	// Core returns the tools that the sidecar brings; nil, or a nil result: none.
	Core func() *manifest.Snapshot
	// Connectors returns the connectors; nil, or a nil result: none.
	Connectors func() *Connectors
	// Platform returns what the platform provides to a viewer; nil, or a nil result: nothing.
	Platform func(Viewer) *Platform
	// Skills returns what the skills bring that a viewer has loaded, the same pointer for the same skills;
	// nil, or a nil result: nothing.
	Skills func(Viewer) *Skills
	// Grants returns what the owner grants; nil, or a nil result: every connector is bound.
	Grants func() *Grants
	// Preferences returns which tools are always listed; nil, or a nil result: the manifest
	// says so.
	Preferences func() *Preferences
	// Judge says of each tool why this viewer cannot call it, in the tools' order; the zero
	// Absence: it can. It may look at files. nil: every tool can be called.
	Judge func(ctx context.Context, v Viewer, tools []*manifest.Tool) []Absence
	// Rules returns what Judge goes by, a comparable value that is another one when the rules
	// change. nil: they do not change.
	Rules func() any
	// Changes return a channel each that is closed when a source may have changed next.
	Changes []func() <-chan struct{}
	// Log gets the tools that are lost. nil drops them.
	Log *slog.Logger
}

// The namespaces that belong to the platform.
const (
	PlatformNamespace = "sv"
	CoreNamespace     = manifest.CoreNamespace
)

// Reserved returns the namespaces that an image may not use: the platform's, those that the
// grants reserve, and those of the connectors that bring tools of their own.
func Reserved(c *Connectors, g *Grants) []string {
	all := []string{PlatformNamespace, CoreNamespace}
	if g != nil {
		all = append(all, g.Reserved...)
	}
	if c != nil {
		for i := range c.All {
			all = append(all, g.namespace(&c.All[i]))
		}
	}
	return all
}
