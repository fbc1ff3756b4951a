package turn

import (
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/oneshot"
)

// process returns what the turn has ready for a process of its own.
func (t *turn) process() oneshot.Process {
	return oneshot.Process{
		Owner: t.Owner, Renew: t.renew, Files: t.files, Stderr: t.ArtifactID("stderr"), Publish: t.publish,
		Started: func(c *proc.Child) {
			t.entry.pid.Store(int64(c.PID()))
			t.r.track(t, c)
		},
		Ended: func(background func() int) {
			t.r.untrack(t)
			t.background = background
		},
	}
}

// renew makes the owner of another process of the turn.
func (t *turn) renew() *job.Owner {
	t.Owner = t.r.jobs.NewOwner(t.work)
	return t.Owner
}

// track makes Signal pass signals on to the turn's process, until untrack.
func (r *Runner) track(t *turn, c *proc.Child) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.children[t] = c
}

func (r *Runner) untrack(t *turn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.children, t)
}

// reserved reports whether an artifact's id is one of those that the turns use:
// response, stderr, or those of a later turn.
func reserved(id string) bool {
	if base, n, ok := strings.Cut(id, "-"); ok {
		if _, err := strconv.Atoi(n); err == nil {
			id = base
		}
	}
	return id == "response" || id == "stderr"
}
