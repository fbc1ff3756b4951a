package job

import (
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// Options is what all jobs of a Runner have in common.
type Options struct {
	Host    *proc.Host      // starts every process; nil: none can be started
	Channel *channel.Server // nil: the channel is off
	User    *proc.User      // the user as whom the processes run; nil: ours
	URL     func() string   // the address at which processes reach the sidecar; nil: they are not told

	// RuntimeDir is the place for folders, "" for none. The folders are in a
	// directory there whose name begins with Prefix.
	RuntimeDir, Prefix string

	Grace      time.Duration // between TERM and KILL, and between a done and TERM
	AskTimeout time.Duration // the longest time that a question waits for its answer
	Headless   bool          // nobody can answer a question
}

// Runner runs jobs. Its methods may be called from many goroutines.
type Runner struct {
	o       Options
	folders *folders
	aheads  aheads
}

// NewRunner returns a runner. It starts nothing and makes no file.
func NewRunner(o Options) *Runner {
	return &Runner{o: o, folders: newFolders(o.RuntimeDir, o.Prefix, o.User)}
}

// Folder makes the folder with that id, with an outbox, or opens the one that was
// released and is not removed yet. It returns nil if there is no place for folders.
func (r *Runner) Folder(id string) (*Folder, error) { return r.folders.open(id) }

// Close removes every folder. The jobs must have ended.
func (r *Runner) Close() error {
	r.aheads.close()
	return r.folders.close()
}

// grant makes the token of one process. Without a channel the grant is nil, and the
// token is only the mark of the process and of the processes that it starts.
func (r *Runner) grant(o *Owner) (*channel.Grant, string) {
	if r.o.Channel == nil {
		return nil, a2a.NewID()
	}
	g := r.o.Channel.GrantProcess(o)
	return g, g.Token()
}
