package turn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

const answering = `printf '> '; while read -r line; do echo "got $line"; printf '> '; done`

// TestRecordings: every session has a file of its own, with a mark for each
// turn.
func TestRecordings(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "all.cast")
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Record, o.Sessions, o.Command = turn.ModePTY, file, 2, sh(answering)
	})
	first, second := r.end(r.sendTo("", "of the first")), r.end(r.sendTo("", "of the second"))
	want(t, first, a2a.StateCompleted, "got of the first")
	want(t, second, a2a.StateCompleted, "got of the second")
	r.Drain(t.Context(), time.Second)
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(file), name))
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
	one, two := read("all.cast"), read("all-2.cast")
	if strings.Contains(one, "of the second") {
		one, two = two, one
	}
	for _, c := range []struct{ cast, text, task string }{{one, "of the first", first.ID}, {two, "of the second", second.ID}} {
		if !strings.Contains(c.cast, "got "+c.text) || !strings.Contains(c.cast, "turn 1 "+c.task) {
			t.Errorf("%q is not in %s", c.text, c.cast)
		}
	}
}

// TestTemporaryFiles: an agent's TMPDIR is its own, and goes with it.
func TestTemporaryFiles(t *testing.T) {
	t.Parallel()
	outer := t.TempDir()
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Env = turn.ModePTY, append(o.Env, "TMPDIR="+outer)
		o.Command = sh(`printf '> '; while read -r line; do touch "$TMPDIR/$line"; echo "$TMPDIR"; printf '> '; done`)
	})
	dir := answer(r.ask("file"))
	if dir == outer || !filepath.IsAbs(dir) {
		t.Fatalf("TMPDIR is %q", dir)
	}
	if info, err := os.Stat(filepath.Join(dir, "file")); err != nil || info.IsDir() {
		t.Errorf("%v, %v", info, err)
	}
	r.Drain(t.Context(), time.Second)
	within(t, r.Exited(), "the end")
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", dir, err)
	}
}

// TestProfileThatIsNone is told before anything is started.
func TestProfileThatIsNone(t *testing.T) {
	t.Parallel()
	wrong := filepath.Join(t.TempDir(), "wrong.json")
	if err := os.WriteFile(wrong, []byte(`{"tui": "yes"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	host := proc.NewHost(proc.HostOptions{})
	defer host.Close()
	for _, name := range []string{"nobody", wrong} {
		o := defaults()
		o.Command, o.Host, o.Profile = []string{"sh"}, host, name
		_, err := turn.New(o)
		if err == nil || !strings.Contains(err.Error(), "profile") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
