package sidecar_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// TestDaemonsOfAnotherEnvironment: a daemon that has given up the environment, the
// session and the parent that it had is told of at the end of a turn and left
// alone; it goes with a turn that is canceled, and with the sidecar.
func TestDaemonsOfAnotherEnvironment(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("they come to us on Linux only")
	}
	dir := t.TempDir()
	script := `read -r name || :
		(env -i /usr/bin/setsid /bin/sh -c 'echo $$ >"$0.new" && mv "$0.new" "$0" && exec /bin/sleep 311' "` + dir + `/$name" >/dev/null 2>&1 </dev/null &)
		while [ ! -e "` + dir + `/$name" ]; do sleep 0.01; done
		case $name in hang*) echo hanging; exec sleep 311;; esac`
	r := run(t, "--mode", "oneshot", "--cancel-grace", "300ms", "--", "sh", "-c", script)
	lives := func(name string) bool {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		return syscall.Kill(pid, 0) == nil
	}
	first := r.begin("hang-1").ID
	await.True(r.t, "the first hangs", func() bool { return strings.Contains(artifact(r.get(first), "response"), "hanging") })
	if got := r.send("stay"); got.Status.State != a2a.StateCompleted {
		t.Fatal(got.Status.State)
	}
	r.log.Says(t, "in the background")
	second := r.begin("hang-2").ID
	await.True(r.t, "the second hangs", func() bool { return strings.Contains(artifact(r.get(second), "response"), "hanging") })
	if _, err := r.client().Cancel(r.context(), &a2a.CancelRequest{ID: second}); err != nil {
		t.Fatal(err)
	}
	if lives("hang-2") {
		t.Error("a canceled turn's daemon lives on")
	}
	if !lives("hang-1") || !lives("stay") {
		t.Error("another turn's daemon was killed")
	}
	r.stop()
	for _, name := range []string{"hang-1", "stay"} {
		if lives(name) {
			t.Errorf("%s outlives the sidecar", name)
		}
	}
	if !strings.Contains(r.log.String(), "left in the background are ended") {
		t.Errorf("nobody says so:\n%s", r.log)
	}
}

// TestIdleShellIsHungUp: a shell at its prompt does not take the whole grace.
func TestIdleShellIsHungUp(t *testing.T) {
	t.Parallel()
	r := run(t, "--cancel-grace", "1h", "--", "bash", "--norc", "--noprofile", "-i")
	await.True(r.t, "the prompt", func() bool { return r.shows("$") || r.shows("#") })
	// At times SIGTERM ends bash before it has begun to read: by exit status 0.
	if code := r.stop(); code != 128+int(syscall.SIGHUP) && code != 0 {
		t.Errorf("exit %d", code)
	}
}

// TestTermWithoutProc: what cannot be seen is stopped by its number.
func TestTermWithoutProc(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]int{"pty": 137, "oneshot": 0} {
		t.Run(mode, func(t *testing.T) {
			r := hardened(t, `mount -t tmpfs none /proc`, "--host", "127.0.0.1", "--mode", mode, "--cancel-grace", "300ms", "--drain-timeout", "300ms", "--",
				"sh", "-c", `trap '' TERM HUP; echo "begun $$"; while :; do sleep 1; done`)
			r.waitServing()
			begun := func() bool { return r.shows("begun") }
			if mode == "oneshot" {
				id := r.begin("go").ID
				begun = func() bool { return strings.Contains(artifact(r.get(id), "response"), "begun") }
			}
			await.True(r.t, "it runs", begun)
			if code := r.stop(); code != want {
				t.Errorf("exit %d, want %d", code, want)
			}
		})
	}
}
