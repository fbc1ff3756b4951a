package tree_test

import (
	"context"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

func mustBeGone(t *testing.T, what string, pid int) {
	t.Helper()
	// The zombie of an orphan is the reaper's, which Stop waits for.
	if proctest.Alive(pid) {
		t.Errorf("%s (%d) is still there", what, pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// finite is a command that is killed when it takes too long, and whose output
// nobody waits for then.
func finite(t *testing.T, argv ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), proctest.Patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second
	return cmd
}
