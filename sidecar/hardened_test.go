package sidecar_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// hardened starts the sidecar where nothing can be written but what mounts, a
// shell script, makes.
func hardened(t *testing.T, mounts string, args ...string) *running {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root to mount")
	}
	script := `set -e
		for dir in /tmp /run /dev/shm; do [ ! -d $dir ] || mount --bind -o ro $dir $dir; mount -o remount,bind,ro $dir; done
		` + mounts + `
		exec "$@"`
	if out, err := exec.Command("unshare", "--mount", "sh", "-c", script, "sh", "true").CombinedOutput(); err != nil {
		t.Skipf("no mounts here: %v: %s", err, out)
	}
	cmd := sidecarCommand(append([]string{"run", "--port", "0", "--log-format", "json"}, args...)...)
	cmd.Args = append([]string{"unshare", "--mount", "sh", "-c", script, "sh", cmd.Path}, cmd.Args[1:]...)
	unshare, err := exec.LookPath("unshare")
	if err != nil {
		t.Skip(err)
	}
	cmd.Path = unshare
	cmd.Env = append(cmd.Env, "container=", "KUBERNETES_SERVICE_HOST=", "XDG_RUNTIME_DIR=", "TMPDIR=/tmp")
	return startCommand(t, cmd)
}

// What a hardened container has.
const (
	nothingWritable = ``
	noExecShm       = `mount -t tmpfs -o noexec,mode=1777 none /dev/shm`
)

// TestHardenedStart: where nothing can be written, or nothing that is written can
// be executed, an agent starts all the same, and one that cannot start says so by
// its own code.
func TestHardenedStart(t *testing.T) {
	t.Parallel()
	places := map[string]string{"nothing writable": nothingWritable, "noexec": noExecShm}
	cases := map[string]struct {
		args []string
		code int
	}{
		"pty":        {[]string{"--", "sh", "-c", "exit 42"}, 42},
		"profile":    {[]string{"--profile", "claude", "--", "sh", "-c", "exit 42"}, 42},
		"not found":  {[]string{"--", "no-such-program"}, 127},
		"a folder":   {[]string{"--", "/"}, 126},
		"127 hooks":  {[]string{"--profile", "claude", "--", "/no-such-program"}, 127},
		"127 single": {[]string{"--mode", "oneshot", "--", "no-such-program"}, 127},
	}
	for place, mounts := range places {
		for name, c := range cases {
			t.Run(place+"/"+name, func(t *testing.T) {
				t.Parallel()
				r := hardened(t, mounts, c.args...)
				if got := r.wait(); got != c.code {
					t.Errorf("exit %d, want %d:\n%s", got, c.code, r.log)
				}
			})
		}
	}
}

// TestHardenedSession: a session without a place for files still answers, and its
// agent has no TMPDIR of ours; one whose place is noexec has it there.
func TestHardenedSession(t *testing.T) {
	t.Parallel()
	script := `if [ -t 0 ]; then printf '$ '; while read -r line; do echo "TMPDIR=$TMPDIR"; printf '$ '; done; else echo "TMPDIR=$TMPDIR"; fi`
	for name, c := range map[string]struct{ mounts, says, want string }{
		"nothing writable": {nothingWritable, "no folder", "TMPDIR=/tmp"},
		"noexec":           {noExecShm, "noexec", "TMPDIR=/dev/shm/sidecar-"},
	} {
		for _, mode := range []string{"pty", "oneshot"} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				t.Parallel()
				args := []string{"--host", "127.0.0.1", "--mode", mode, "--", "sh", "-c", script}
				r := hardened(t, c.mounts, args...)
				r.waitServing()
				want := c.want
				if mode == "oneshot" {
					want = "TMPDIR=/tmp"
				}
				if got := artifact(r.send("where"), "response"); !strings.Contains(got, want) {
					t.Errorf("it answered %q, want %q", got, want)
				}
				if mode == "pty" && !strings.Contains(r.log.String(), c.says) {
					t.Errorf("the log does not say %q:\n%s", c.says, r.log)
				}
				r.stop()
			})
		}
	}
}
