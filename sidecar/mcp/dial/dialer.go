package dial

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/serverfile"
)

// Options say how servers are reached. A field must be set unless its comment says what its zero
// value means.
type Options struct {
	// Host starts the programs.
	Host *proc.Host
	// Env is the sidecar's environment, of which programs get the few documented names.
	Env []string
	// Workspace is the directory in which programs run. "": our own.
	Workspace string
	// Scope has the directories for which the variables of requirements stand.
	Scope *capability.Scope
	// Sandbox confines the programs. nil: they are not confined.
	Sandbox *confine.Keeper
	// User is the user of the programs. nil: ours.
	User *proc.User
	// RuntimeDir is where the private directories of programs are. "": they have none.
	RuntimeDir string
	// Grace is the time between TERM and KILL; more than MaxGrace counts as that. 0: KILL at once.
	Grace time.Duration
	// Log gets the starts and ends of programs. nil: none.
	Log *slog.Logger
}

// MaxGrace is the longest time between TERM and KILL of a program: whoever closes a connection
// waits for it.
const MaxGrace = 5 * time.Second

// Dialer reaches servers. Its methods may be called from many goroutines.
type Dialer struct {
	o       Options
	folders *job.Runner

	mu   sync.Mutex
	live map[*process]struct{}
	wg   sync.WaitGroup // counts the processes
	over bool
}

// New returns a dialer. Close must follow.
func New(o Options) *Dialer {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Dialer{
		o: o, live: map[*process]struct{}{},
		folders: job.NewRunner(job.Options{Host: o.Host, User: o.User, RuntimeDir: o.RuntimeDir, Prefix: "servers"}),
	}
}

// Dial reaches a server: it starts its program, which lives until the transport's connection is
// closed, or says where it is. The error of a program that cannot be started is a
// *proc.StartError, or says what its sandbox lacks.
func (d *Dialer) Dial(ctx context.Context, s *serverfile.Server) (mcp.Transport, error) {
	if s.URL != "" {
		return d.address(s)
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	p, err := d.start(s)
	if err != nil {
		return nil, err
	}
	return &mcp.IOTransport{Reader: p, Writer: p.stdin()}, nil
}

// Close stops all programs, and returns when they have ended and their directories are gone.
func (d *Dialer) Close() error {
	d.mu.Lock()
	d.over = true
	var closing sync.WaitGroup
	for p := range d.live {
		closing.Go(func() { _ = p.Close() })
	}
	d.mu.Unlock()
	closing.Wait()
	d.wg.Wait()
	return d.folders.Close()
}

var _ io.ReadCloser = (*process)(nil)
