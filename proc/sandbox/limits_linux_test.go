package sandbox_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// Each limit ends what exceeds it, and lets through what does not.
func TestLimits(t *testing.T) {
	h := proctest.NewHost(t)
	dir := t.TempDir()
	const bomb = "n=0; while [ $n -lt 60 ]; do sleep 60 & n=$((n+1)); done; echo all"
	for _, c := range []struct {
		name, script string
		limits       sandbox.Limits
		within       bool
	}{
		{"disk", "dd if=/dev/zero of=" + dir + "/big bs=64k count=32", sandbox.Limits{Disk: 1 << 20}, false},
		{"disk that suffices", "dd if=/dev/zero of=" + dir + "/big bs=64k count=8", sandbox.Limits{Disk: 1 << 20}, true},
		{"computing", "while :; do :; done", sandbox.Limits{CPU: time.Second / 2}, false},
		{"memory", "x=0123456789abcdef; while [ ${#x} -lt 67108864 ]; do x=$x$x; done", sandbox.Limits{Memory: 16 << 20}, false},
		{"memory that suffices", "x=0123456789abcdef; while [ ${#x} -lt 65536 ]; do x=$x$x; done", sandbox.Limits{Memory: 16 << 20}, true},
		{"processes", bomb, sandbox.Limits{Processes: 20}, false},
		{"processes that suffice", bomb, sandbox.Limits{Processes: 100}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if says := c.limits.Gaps(os.Geteuid()); len(says) > 0 {
				t.Skip(says)
			}
			r := sandbox.System()
			r.Shim, r.Write, r.Limits = proctest.Self(t), []sandbox.Root{{Base: dir, Path: "."}}, c.limits
			cmd := proctest.Shell(c.script)
			cmd.Sandbox = newSandbox(t, r, 0)
			child := proctest.Start(t, h, cmd)
			out, stderr, exit := proctest.Output(child)
			child.Kill()
			ok := exit.Success() && (c.limits.Processes == 0 || strings.Contains(out, "all"))
			if ok != c.within {
				t.Errorf("within the limit %t, want %t: %q %q %v", ok, c.within, out, stderr, exit)
			}
		})
	}
}
