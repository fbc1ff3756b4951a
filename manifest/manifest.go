package manifest

import (
	"encoding/json"
	"log/slog"
	"slices"
	"time"
)

// Options say how a manifest is checked and watched. The zero value is valid.
type Options struct {
	// Reserved are namespaces that the file and the registry may not use, such as
	// "github" or "github.*". The platform's "sv" and "core" are always reserved.
	Reserved []string
	// Connectors returns further reserved namespaces, those of connectors; it is asked at each
	// reading, and must not block. nil: there are none.
	Connectors func() []string
	// Registry holds tools written in Go. They come before the file's. nil means that
	// there are none.
	Registry *Registry
	// Card checks what a tool adds to the agent card (x-sidecar.card), a JSON object.
	// It may be called from several goroutines at once. nil means that any object is
	// valid.
	Card func(json.RawMessage) error
	// Lenient lets Open succeed with a bad file: the list then holds only the
	// registry's tools until the file is good, and Source.Last says why.
	Lenient bool
	// Program says in words why an exec tool's program cannot be started here, and what
	// to do about it; "" means that it can be started. cwd is as in the manifest. It is
	// called once for each program of a file, by several goroutines. nil means that
	// nobody looks.
	Program func(program, cwd string) (reason, hint string)
	// Review says what is suspicious about a tool that has no fault; its remarks become
	// warnings. It may be called by several goroutines at once. nil means that nobody
	// looks.
	Review func(*Tool) []Remark
	// Trust says why a file that has changed must not be believed, nil if it may be: it is then
	// refused like a bad one. Run calls it after each time that it has read the file, with the
	// absolute path. nil means that every file is believed.
	Trust func(path string) error
	// Judged is called for every list that Run accepts, and with an error for every
	// list that it refuses. It must not block. nil means that nobody is told.
	Judged func(error)
	// Log gets what happens to a watched file. nil drops it.
	Log *slog.Logger
	// Debounce is how long a file must be quiet before it is read; 0 means 10 ms.
	Debounce time.Duration
	// Poll is how often the file is looked at if no event comes; 0 means 1 s.
	Poll time.Duration
	// Missing is how long the last good list outlives its file; 0 means 1 s.
	Missing time.Duration
}

// reserved returns all reserved namespaces of these options, as they are now.
func (o *Options) reserved() []string {
	if o.Connectors == nil {
		return o.Reserved
	}
	return slices.Concat(o.Reserved, o.Connectors())
}

// Remark is a warning about a tool.
type Remark struct {
	Pointer string // JSON pointer within the definition, of what is there
	Message string
	Hint    string // the fix, "" if none is known
}

// Tool is one checked definition. It is shared and must not be changed.
type Tool struct {
	Name        string
	Description string
	// InputSchema is compact JSON with its keys in the order of the file.
	InputSchema json.RawMessage
	// OutputSchema is nil if none was declared.
	OutputSchema json.RawMessage
	Bridge       Bridge
	Effects      Effects
	// Kind is the ACP tool kind, "other" by default.
	Kind string
	// Timeout is the limit of one call; 0 if the file sets none.
	Timeout time.Duration
	// MaxOutput is in bytes; 0 if the file sets none.
	MaxOutput int64
	// Requires is nil if the file declares nothing.
	Requires *Requires
	// Uses say which arguments hold paths, hosts and commands.
	Uses Uses
	// Limits bound one call of an exec tool.
	Limits Limits
	// Concurrency is how many calls of this tool run at once, whatever their effects; 0
	// if the file sets no limit.
	Concurrency int
	// Interrupt is InterruptCancel (the default) or InterruptFinish.
	Interrupt string
	// Surface is "always" (the default) or "discoverable".
	Surface string
	// Card is what the tool's author adds to the agent card, a JSON object; nil if it
	// adds nothing.
	Card json.RawMessage
	// Instead is that of the Definition; nil for a tool of a file.
	Instead map[string]string
	// External is set for a tool that another program defines.
	External *External
	// Handler runs a Registry tool; it is nil for a tool of the file.
	Handler Handler
	// Digest distinguishes this definition from every other one, "sha256:" and 64
	// hexadecimal digits: over its source and everything that its text says, x-sidecar and
	// keys that nothing reads included. White space between tokens does not count, the
	// order of keys does. It is "" for a Tool made by hand.
	Digest string
}

// BridgeKind names the way a call reaches what executes it.
type BridgeKind string

// The bridges of this version.
const (
	BridgeAgent  BridgeKind = "agent"  // the wrapped process
	BridgeExec   BridgeKind = "exec"   // a program in the image
	BridgePrompt BridgeKind = "prompt" // a text that is typed to the agent
	BridgeHTTP   BridgeKind = "http"   // a request to an HTTP API
	BridgeMCP    BridgeKind = "mcp"    // a tool of an MCP server
	BridgeCore   BridgeKind = "core"   // a tool of the sidecar's own; no file can have it
)

// BridgeKinds lists the kinds of bridges that a file can have.
func BridgeKinds() []BridgeKind {
	return []BridgeKind{BridgeExec, BridgeHTTP, BridgeMCP, BridgePrompt, BridgeAgent}
}

// Bridge says how a call reaches what executes it.
type Bridge struct {
	Kind BridgeKind
	// Exec is set for BridgeExec only.
	Exec *Exec
	// HTTP is set for BridgeHTTP only.
	HTTP *HTTP
	// Prompt is set for BridgePrompt only. Expand it with Tool.PromptText.
	Prompt string
	// MCP is set for BridgeMCP only.
	MCP *MCP

	text template // Prompt, parsed with what the schema declares
}

// MCP names a tool of an MCP server.
type MCP struct {
	Server string // the server's slug
	Tool   string // the tool's native name
}

// External says which tool of another program a definition stands for.
type External struct {
	Server  string // the MCP server's slug
	Name    string // the tool's native name
	Version string // the server's version, as it says itself; "" if it says none
	Hash    string // of the definition as the server sent it: "sha256:" and 64 hexadecimal digits
}

// Effects says what a call may change.
type Effects string

// A tool that only reads may run beside other reads; a write runs alone.
const (
	EffectsRead  Effects = "read"
	EffectsWrite Effects = "write" // the default
)

// The values of Tool.Surface.
const (
	SurfaceAlways       = "always"
	SurfaceDiscoverable = "discoverable"
)
