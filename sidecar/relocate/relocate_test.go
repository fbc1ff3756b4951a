package relocate_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/sidecar/relocate"
)

// rig is a directory where others write, and a place outside of it.
type rig struct {
	*testing.T
	relocate.Move
}

func newRig(t *testing.T, files map[string]string) *rig {
	t.Helper()
	root, out := t.TempDir(), t.TempDir()
	r := &rig{t, relocate.Move{
		Root: root, From: filepath.Join(root, ".spring", "bridge"), To: filepath.Join(out, "state", "id"),
		Names: []string{"tasks.db", "audit/audit.ndjson", "audit/audit.ndjson.1"}, Locks: []string{"tasks.lock"},
	}}
	for name, text := range files {
		path := filepath.Join(r.From, name)
		r.must(os.MkdirAll(filepath.Dir(path), 0o755))
		r.must(os.WriteFile(path, []byte(text), 0o644))
	}
	return r
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// has checks the content of a file in the new place, and that only its owner can read it.
func (r *rig) has(name, want string) {
	r.Helper()
	path := filepath.Join(r.To, name)
	got, err := os.ReadFile(path)
	r.must(err)
	info, err := os.Stat(path)
	r.must(err)
	dir, err := os.Stat(filepath.Dir(path))
	r.must(err)
	if string(got) != want || info.Mode() != 0o600 || dir.Mode().Perm() != 0o700 {
		r.Errorf("%s holds %q (%v, its directory %v), want %q", name, got, info.Mode(), dir.Mode(), want)
	}
}

// lacks checks that nothing is at a path.
func (r *rig) lacks(path string) {
	r.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		r.Errorf("%s is there: %v", path, err)
	}
}

func TestFilesMove(t *testing.T) {
	r := newRig(t, map[string]string{"tasks.db": "tasks", "tasks.lock": "", "audit/audit.ndjson": "calls"})
	taken, err := r.Take()
	if err != nil || !slices.Equal(taken, []string{"tasks.db", "audit/audit.ndjson"}) {
		t.Fatalf("%q, %v", taken, err)
	}
	r.has("tasks.db", "tasks")
	r.has("audit/audit.ndjson", "calls")
	r.lacks(r.From)
	r.must(r.Link(r.From, r.To))
	r.must(r.Link(r.From, r.To)) // it is there
	if got, err := os.ReadFile(filepath.Join(r.From, "tasks.db")); err != nil || string(got) != "tasks" {
		t.Errorf("by the link: %q, %v", got, err)
	}
	if taken, err := r.Take(); err != nil || taken != nil {
		t.Errorf("moved again: %q, %v", taken, err)
	}
	r.has("tasks.db", "tasks")
}

func TestThereNeedBeNothing(t *testing.T) {
	r := newRig(t, nil)
	if taken, err := r.Take(); err != nil || taken != nil {
		t.Fatalf("%q, %v", taken, err)
	}
	if info, err := os.Stat(r.To); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	r.must(r.Link(r.From, r.To))
}

// Whatever else is in the old place stays, and there is then no room for a link.
func TestOtherFilesStay(t *testing.T) {
	r := newRig(t, map[string]string{"tasks.db": "tasks", "notes": "mine"})
	if _, err := r.Take(); err != nil {
		t.Fatal(err)
	}
	r.has("tasks.db", "tasks")
	r.lacks(filepath.Join(r.From, "tasks.db"))
	if got, err := os.ReadFile(filepath.Join(r.From, "notes")); err != nil || string(got) != "mine" {
		t.Errorf("%q, %v", got, err)
	}
	if err := r.Link(r.From, r.To); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a link was made: %v", err)
	}
}

// What is in the new place is newer: it stays, and so does the old.
func TestNothingIsOverwritten(t *testing.T) {
	r := newRig(t, map[string]string{"tasks.db": "old"})
	r.must(os.MkdirAll(r.To, 0o700))
	r.must(os.WriteFile(filepath.Join(r.To, "tasks.db"), []byte("new"), 0o600))
	if taken, err := r.Take(); err != nil || taken != nil {
		t.Fatalf("%q, %v", taken, err)
	}
	r.has("tasks.db", "new")
	if got, err := os.ReadFile(filepath.Join(r.From, "tasks.db")); err != nil || string(got) != "old" {
		t.Errorf("%q, %v", got, err)
	}
}

// A move that was interrupted before everything was there begins again.
func TestAnInterruptedMoveIsDoneAgain(t *testing.T) {
	r := newRig(t, map[string]string{"tasks.db": "whole"})
	r.must(os.MkdirAll(r.To+".part", 0o700))
	r.must(os.WriteFile(filepath.Join(r.To+".part", "tasks.db"), []byte("wh"), 0o600))
	if _, err := r.Take(); err != nil {
		t.Fatal(err)
	}
	r.has("tasks.db", "whole")
	r.lacks(r.To + ".part")
}

func TestFilesInUseStay(t *testing.T) {
	r := newRig(t, map[string]string{"tasks.db": "tasks", "tasks.lock": ""})
	f, err := os.Open(filepath.Join(r.From, "tasks.lock"))
	r.must(err)
	defer f.Close()
	r.must(unix.Flock(int(f.Fd()), unix.LOCK_EX))
	if _, err := r.Take(); !errors.Is(err, relocate.ErrInUse) {
		t.Errorf("moved: %v", err)
	}
	r.lacks(r.To)
	if _, err := os.Stat(filepath.Join(r.From, "tasks.db")); err != nil {
		t.Error(err)
	}
}

// Whoever writes in the old place cannot have other files of this machine copied, nor links made
// outside of it.
func TestLinksLeadNowhere(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("a file", func(t *testing.T) {
		r := newRig(t, map[string]string{"notes": ""})
		r.must(os.Symlink(secret, filepath.Join(r.From, "tasks.db")))
		if _, err := r.Take(); err == nil {
			t.Error("it was copied")
		}
		r.lacks(r.To)
		r.lacks(r.To + ".part")
	})
	t.Run("a directory", func(t *testing.T) {
		r := newRig(t, nil)
		outside := t.TempDir()
		r.must(os.Symlink(outside, filepath.Join(r.Root, ".spring")))
		if err := r.Link(r.From, r.To); err == nil {
			t.Error("a link was made")
		}
		r.lacks(filepath.Join(outside, "bridge"))
	})
	t.Run("a pipe", func(t *testing.T) {
		r := newRig(t, map[string]string{"notes": ""})
		r.must(unix.Mkfifo(filepath.Join(r.From, "tasks.db"), 0o600))
		if _, err := r.Take(); err == nil {
			t.Error("it was read")
		}
	})
}

// Sidecars that start at once over an old place that none of them has locked lose nothing: one of
// them moves it.
func TestManyMoveAtOnce(t *testing.T) {
	for range 20 {
		r := newRig(t, map[string]string{"tasks.db": "tasks", "audit/audit.ndjson": "calls", "audit/audit.ndjson.1": "older"})
		moved := make(chan int, 8)
		for range cap(moved) {
			m := r.Move
			go func() {
				taken, err := m.Take()
				if err != nil {
					t.Error(err)
				}
				moved <- len(taken)
			}()
		}
		all := 0
		for range cap(moved) {
			all += <-moved
		}
		if all != 3 {
			t.Errorf("%d files were moved", all)
		}
		r.has("tasks.db", "tasks")
		r.has("audit/audit.ndjson", "calls")
		r.has("audit/audit.ndjson.1", "older")
	}
}

// TestADirectoryMoves: the files in it do, whatever their names; what is no file stays, and a directory that is empty goes.
func TestADirectoryMoves(t *testing.T) {
	r := newRig(t, map[string]string{"tasks.db": "tasks", "changes/1.change": "one", "changes/2.change": "two", "changes/sub/3.change": "three"})
	r.must(os.Mkdir(filepath.Join(r.From, "empty"), 0o700))
	r.must(os.Symlink("/etc/passwd", filepath.Join(r.From, "changes/link.change")))
	r.Dirs = []string{"changes", "empty", "none"}
	taken, err := r.Take()
	r.must(err)
	if slices.Sort(taken); !slices.Equal(taken, []string{"changes/1.change", "changes/2.change", "tasks.db"}) {
		t.Errorf("it took %q", taken)
	}
	r.has("changes/1.change", "one")
	r.has("changes/2.change", "two")
	r.lacks(filepath.Join(r.To, "changes/link.change"))
	r.lacks(filepath.Join(r.To, "changes/sub"))
	r.lacks(filepath.Join(r.From, "changes/1.change"))
	r.lacks(filepath.Join(r.From, "empty"))
	if _, err := os.Stat(filepath.Join(r.From, "changes/sub/3.change")); err != nil {
		t.Error(err)
	}
}
