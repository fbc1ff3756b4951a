package turn

import (
	"context"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
)

// publish makes artifacts of the files that the agent left in its outbox. The
// task's metadata lists what was left out.
func (t *turn) publish(left job.Left) {
	for _, u := range left.Artifacts {
		// The task has finished: nobody wants the artifact any more.
		_ = t.task.Artifact(context.WithoutCancel(t.task.Context()), u)
	}
	if left.Skipped > 0 {
		t.Note("outboxSkipped", left.Skipped)
		t.log().Warn("files in the outbox were left out", "files", left.Skipped)
	}
}

// place makes the session's folder. A failure is not an error: the agent can work
// without a folder, and our error must not hide how the agent ends.
func (s *session) place() {
	files, err := s.r.jobs.Folder("session-" + s.name)
	if err != nil {
		s.r.o.Log.Warn("the agent has no folder: no outbox, no TMPDIR of its own, and files cannot be sent to it", "error", err)
		return
	}
	s.files = files
}

// Outbox implements channel.OutboxOwner.
func (s *session) Outbox() *channel.Outbox { return s.files.Outbox() }

// tempDir makes the agent's TMPDIR, which is removed with the session. If it
// returns "", there is none, and the agent inherits ours.
func (s *session) tempDir() string {
	if s.files == nil {
		return ""
	}
	dir, err := s.files.TempDir()
	switch {
	case err != nil && dir == "":
		s.r.o.Log.Warn("the agent has no TMPDIR of its own", "error", err)
	case err != nil:
		s.cannotRun(dir, err)
	}
	return dir
}

// cannotRun warns of a TMPDIR whose files cannot be executed. Agents that are known
// to work on code put programs and libraries there; other programs hardly ever do.
func (s *session) cannotRun(dir string, err error) {
	log := s.r.o.Log.Info
	if s.r.profile.Hook != "" {
		log = s.r.o.Log.Warn
	}
	log("what the agent puts into its TMPDIR cannot be executed: the place is mounted noexec, and there is no other; mount a tmpfs with exec at /tmp",
		"dir", dir, "error", err)
}
