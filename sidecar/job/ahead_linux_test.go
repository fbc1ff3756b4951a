package job_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
)

func box(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	b, err := sandbox.New(sandbox.System())
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(b.Close)
	return b
}

// entries returns what is in the directory of all folders.
func (r *rig) entries() (names []string) {
	found, _ := filepath.Glob(filepath.Join(r.dir, "jobs-*", "*"))
	for _, f := range found {
		names = append(names, filepath.Base(f))
	}
	return names
}

// A job whose folder was made ahead finds in it what every job finds, and another job's is closed
// to it.
func TestAJobThatWasPrepared(t *testing.T) {
	r, in := newRig(t, nil), box(t)
	_ = r.files.Remove() // the rig's own
	const script = `cat "$SIDECAR_MESSAGE_FILE" | grep -o '"messageId":"[^"]*"'; ls "$(dirname "$SIDECAR_OUTBOX")"; ls "$SIDECAR_OUTBOX"; printf x > "$TMPDIR/x" && echo wrote
ls "$OTHER" >/dev/null 2>&1 || echo refused; printf kept > "$SIDECAR_OUTBOX/f"`
	other, err := r.Folder("other")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Remove()
	for i, id := range []string{"first", "second", "third"} {
		if i > 0 {
			r.Prepare(in)
			if got := strings.Join(r.entries(), " "); !strings.Contains(got, "next-") {
				t.Errorf("nothing is prepared: %s", got)
			}
		}
		files, err := r.FolderIn(in, id)
		if err != nil {
			t.Fatal(err)
		}
		if err := files.WriteMessage(&a2a.Message{ID: id, Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("x")}}); err != nil {
			t.Fatal(err)
		}
		temp, err := files.Temp()
		if err != nil {
			t.Fatal(err)
		}
		j := sh(script)
		j.Sandbox, j.Files, j.Env = in, files, []string{"PATH=/usr/bin:/bin", "TMPDIR=" + temp, "OTHER=" + other.Dir()}
		said := new(strings.Builder)
		j.Owner, j.Output = r.NewOwner(job.Work{Task: r.task}), func(chunk []byte) { said.Write(chunk) }
		res, err := r.Run(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		if want := `"messageId":"` + id + "\"\nmessage.json\nout\ntmp\nwrote\nrefused\n"; said.String() != want {
			t.Errorf("%s says %q instead of %q", id, said, want)
		}
		if len(res.Left.Artifacts) != 1 {
			t.Errorf("%s left %d artifacts", id, len(res.Left.Artifacts))
		}
		if err := files.Remove(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.entries(), " "); got != "other" {
			t.Errorf("after %s there are %q", id, got)
		}
	}
}

// A folder that is there is opened again, and what was made ahead is not used for it.
func TestPreparedForAnIDThatIsThere(t *testing.T) {
	r, in := newRig(t, nil), box(t)
	_ = r.files.Remove() // the rig's own
	one, err := r.Folder("same")
	if err != nil {
		t.Fatal(err)
	}
	if err := one.Write("mine", []byte("x")); err != nil {
		t.Fatal(err)
	}
	r.Prepare(in)
	again, err := r.FolderIn(in, "same")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(again.Dir(), "mine")); err != nil {
		t.Error(err)
	}
	if got := strings.Join(r.entries(), " "); got != "same" {
		t.Errorf("there are %q", got)
	}
	if err := again.Remove(); err != nil {
		t.Error(err)
	}
}

// Only so many are kept; the runner's end removes them all.
func TestPreparedForManySandboxes(t *testing.T) {
	r := newRig(t, nil)
	_ = r.files.Remove() // the rig's own
	for range 12 {
		r.Prepare(box(t))
	}
	if n := len(r.entries()); n != 8 {
		t.Errorf("%d are kept", n)
	}
	r.Prepare(nil)
	if n := len(r.entries()); n != 8 {
		t.Errorf("%d are kept with one for no sandbox", n)
	}
}

// A job whose start cannot use what was prepared, because the system has changed, has its folder all
// the same.
func TestAPreparedFolderOfAnotherStart(t *testing.T) {
	r, dir := newRig(t, nil), t.TempDir()
	rules := sandbox.System()
	rules.Read = append(rules.Read, sandbox.Root{Base: dir, Path: "made"})
	in, err := sandbox.New(rules)
	if err != nil {
		t.Skip(err)
	}
	r.Prepare(in)
	if err := os.Mkdir(filepath.Join(dir, "made"), 0o755); err != nil {
		t.Fatal(err)
	}
	files, err := r.FolderIn(in, "id")
	if err != nil {
		t.Fatal(err)
	}
	defer files.Remove()
	j := sh(`printf kept > "$SIDECAR_OUTBOX/f" && echo wrote`)
	j.Sandbox, j.Files, j.Env = in, files, []string{"PATH=/usr/bin:/bin"}
	said := new(strings.Builder)
	j.Owner, j.Output = r.NewOwner(job.Work{Task: r.task}), func(chunk []byte) { said.Write(chunk) }
	if _, err := r.Run(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	if said.String() != "wrote\n" {
		t.Errorf("it says %q", said)
	}
}
