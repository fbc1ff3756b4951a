package serverfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// Server is an MCP server of the file. It must not be changed.
type Server struct {
	// Name is the name in the file, and Slug the beginning of the names of its tools.
	Name, Slug string
	// Command is the argv of a server that is a program, nil for one at a URL.
	Command []string
	// Env are variables of the program, "NAME=value", in addition to the few that every tool's
	// program gets.
	Env []string
	// Cwd is where the program runs: absolute, or relative to the workspace; "" means the workspace
	// itself.
	Cwd string
	// URL is the address of a server that is reached by streamable HTTP, "" for a program.
	URL string
	// Header is sent with each request to URL. Its values may be secrets.
	Header http.Header
	// Requires is what the program may use; for a server at a URL, the hosts that may be reached
	// in addition to the URL's own. It is never nil.
	Requires *manifest.Requires
	// Limits bound the program.
	Limits manifest.Limits
	// Timeout is the time limit of each call, 0 for that of all calls.
	Timeout time.Duration
	// Idle is how long the program may be without a call before it is stopped, 0 for the default.
	Idle time.Duration
	// Surface is manifest.SurfaceAlways or manifest.SurfaceDiscoverable, "" for the default.
	Surface string
	// TrustAnnotations says that what the server says of the effects of its tools is believed.
	TrustAnnotations bool
	// Disabled says that the server is not used.
	Disabled bool
}

// Key returns a digest of everything that is written of the server. It does not tell the values
// that it is made of.
func (s *Server) Key() string {
	doc, _ := json.Marshal(s) // strings, numbers and truth values always have a JSON form
	sum := sha256.Sum256(doc)
	return hex.EncodeToString(sum[:])
}
