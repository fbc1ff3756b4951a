package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// The defaults of a Server.
const (
	DefaultStartTimeout = 30 * time.Second
	DefaultIdle         = 10 * time.Minute
	DefaultDrain        = 5 * time.Minute
	DefaultMaxMessage   = 16 << 20 // bytes
)

// slugMax is the longest slug in bytes: together with a dot, it must leave room for a tool's
// name (see nameMax).
const slugMax = 64

// Server is one MCP server as it is configured.
type Server struct {
	// Slug names the server and is the namespace of its tools: [a-z][a-z0-9_]*, at most 64
	// bytes.
	Slug string
	// Key identifies the configuration: everything that makes a difference is in it. A server
	// whose Key has changed is replaced; with an equal Key, the other fields are not looked at.
	Key string
	// Dial reaches the server, by starting its process or by saying where it is. ctx ends with
	// StartTimeout, or when the server is not needed any more, and must not end what was
	// started: that ends when the transport's connection is closed. Close of an
	// [mcp.IOTransport]'s Reader must end a Read that waits, and may take up to 10 s.
	Dial func(ctx context.Context) (mcp.Transport, error)

	// Platform says that the server is the platform's: its tools are in the namespace "sv", which
	// is its Slug, and a name that is there already stays as it is.
	Platform bool

	// Effects, Surface, Requires, Limits, Concurrency and Timeout are those of each of its
	// tools; zero values mean the defaults of a manifest.
	Effects     manifest.Effects
	Surface     string
	Requires    *manifest.Requires
	Limits      manifest.Limits
	Concurrency int
	Timeout     time.Duration
	// TrustAnnotations believes the server's readOnlyHint: such a tool has EffectsRead.
	TrustAnnotations bool

	// StartTimeout limits Dial, the handshake and the list together, and each later list.
	// 0 means DefaultStartTimeout.
	StartTimeout time.Duration
	// Idle is how long the server may go without a call before it is stopped. 0 means
	// DefaultIdle; with less than 0, it is not stopped.
	Idle time.Duration
	// Drain is how long calls may go on after the server was replaced or removed. 0 means
	// DefaultDrain.
	Drain time.Duration
	// MaxMessage is the longest message that is taken from the server, in bytes. 0 means
	// DefaultMaxMessage.
	MaxMessage int64

	// Verify says what is known of a definition, given the tool's native name and its hash. An
	// error that wraps ErrUnverified becomes a warning; with any other, the tool is left out.
	// nil means that every definition is as good as another. It must return soon.
	Verify func(native, hash string) error
}

// ErrUnverified says that nothing is known of a definition (see Server.Verify).
var ErrUnverified = errors.New("unverified")

// Options are for all servers. The zero value is valid.
type Options struct {
	// Reserved are namespaces in which no server may have a tool, in addition to core and sv.
	Reserved []string
	// Version is what the sidecar calls itself to servers, with its name. "" means "dev".
	Version string
	// Log gets what happens to servers; what they log is at debug level. nil drops it.
	Log *slog.Logger
}

var (
	slugs = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	names = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$`)
)

// check returns what is wrong with a configuration.
func (s *Server) check() error {
	switch {
	case len(s.Slug) > slugMax || !slugs.MatchString(s.Slug):
		return fmt.Errorf("MCP server %q: a name is [a-z][a-z0-9_]*, at most %d characters: choose another one", s.Slug, slugMax)
	case s.Dial == nil:
		return fmt.Errorf("MCP server %s: nothing says how it is reached", s.Slug)
	}
	return nil
}

// complete fills in the defaults.
func (s *Server) complete() {
	if s.StartTimeout <= 0 {
		s.StartTimeout = DefaultStartTimeout
	}
	if s.Idle == 0 {
		s.Idle = DefaultIdle
	}
	if s.Drain <= 0 {
		s.Drain = DefaultDrain
	}
	if s.MaxMessage <= 0 {
		s.MaxMessage = DefaultMaxMessage
	}
}
