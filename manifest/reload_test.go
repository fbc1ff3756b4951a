package manifest_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

func TestReload(t *testing.T) {
	one, two := tools("acme.one"), tools("acme.one", "acme.two")
	for _, tc := range []struct {
		name string
		edit func(t *testing.T, dir, path string)
	}{
		{"in-place write", func(t *testing.T, _, path string) { write(t, path, two) }},
		{"in pieces", func(t *testing.T, _, path string) {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
			must(t, err)
			for i := range two {
				if _, err := f.WriteString(two[i : i+1]); err != nil {
					t.Fatal(err)
				}
			}
			must(t, f.Close())
		}},
		{"editor rename", func(t *testing.T, dir, path string) {
			write(t, filepath.Join(dir, ".tools.json.swp"), two)
			must(t, os.Rename(filepath.Join(dir, ".tools.json.swp"), path))
		}},
		{"editor backup", func(t *testing.T, _, path string) {
			must(t, os.Rename(path, path+"~"))
			write(t, path, two)
		}},
		{"delete and re-create", func(t *testing.T, _, path string) {
			must(t, os.Remove(path))
			write(t, path, two)
		}},
		{"directory replaced", func(t *testing.T, dir, path string) {
			must(t, os.Mkdir(dir+".new", 0o755))
			write(t, filepath.Join(dir+".new", "tools.json"), one)
			must(t, os.Rename(dir, dir+".old"))
			must(t, os.Rename(dir+".new", dir))
			write(t, path, two)
		}},
		{"directory deleted and re-created", func(t *testing.T, dir, path string) {
			must(t, os.RemoveAll(dir))
			must(t, os.Mkdir(dir, 0o755))
			write(t, path, two)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "tools")
			must(t, os.Mkdir(dir, 0o755))
			path := filepath.Join(dir, "tools.json")
			write(t, path, one)
			s, _ := watch(t, path, manifest.Options{})
			until(t, s, "acme.one")
			settled(t, s)
			start := time.Now()
			tc.edit(t, dir, path)
			until(t, s, "acme.one acme.two")
			t.Logf("visible after %v", time.Since(start))
			if s.Last() != nil {
				t.Errorf("Last is %v", s.Last())
			}
			must(t, os.WriteFile(path, []byte(tools("acme.three")), 0o644))
			until(t, s, "acme.three") // and it goes on watching
		})
	}
}

func TestReloadDirectoryAppears(t *testing.T) {
	path := filepath.Join(t.TempDir(), "opt", "agent", "tools.json")
	s, log := watch(t, path, manifest.Options{})
	if len(s.Snapshot().Tools()) != 0 || string(s.Snapshot().Document()) != "[]" {
		t.Errorf("a missing file is %s", s.Snapshot().Document())
	}
	if !strings.Contains(log.String(), "does not exist") {
		t.Error("nothing is said of the missing file")
	}
	settled(t, s)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	write(t, path, tools("acme.one"))
	until(t, s, "acme.one")
}

func TestReloadMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.json")
	write(t, path, tools("acme.one"))
	const missing = 300 * time.Millisecond
	s, log := watch(t, path, manifest.Options{Missing: missing})
	settled(t, s)
	gone := time.Now()
	must(t, os.Remove(path))
	until(t, s, "")
	if kept := time.Since(gone); kept < missing {
		t.Errorf("the last good list was kept for %v, want %v", kept, missing)
	}
	if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "is gone") {
		t.Error("there is no warning")
	}
	if s.Last() != nil || string(s.Snapshot().Document()) != "[]" {
		t.Errorf("%v, %s", s.Last(), s.Snapshot().Document())
	}
	write(t, path, tools("acme.one"))
	until(t, s, "acme.one")
}

// A file that comes back in time was never away.
func TestReloadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.json")
	write(t, path, tools("acme.one"))
	s, _ := watch(t, path, manifest.Options{Missing: time.Hour})
	settled(t, s)
	must(t, os.Remove(path))
	settled(t, s)
	if names(s) != "acme.one" {
		t.Fatalf("the list is %q while the file is away", names(s))
	}
	write(t, path, tools("acme.two"))
	until(t, s, "acme.two")
}

func TestReloadBroken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.json")
	write(t, path, tools("acme.one"))
	s, log := watch(t, path, manifest.Options{})
	settled(t, s)
	before := s.Snapshot()
	for _, broken := range []string{"", "[", tools("acme.one")[:40], tools("arxiv_search"), "\xff", "{}"} {
		checked := s.Checked()
		write(t, path, broken)
		await.One(t, checked, "verdict on "+broken)
		if s.Snapshot() != before {
			t.Fatalf("%q replaced the last good list by %s", broken, s.Snapshot().Document())
		}
		var faults jsontree.Faults
		if !errors.As(s.Last(), &faults) {
			t.Errorf("%q: Last is %v", broken, s.Last())
		}
	}
	for _, part := range []string{"level=ERROR", "the last good list stays", "line=2", "column=9", "pointer=/0/name", `fix="write \"arxiv.search\""`} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log does not say %s", part)
		}
	}
	write(t, path, tools("arxiv.search"))
	until(t, s, "arxiv.search")
	if s.Last() != nil {
		t.Errorf("Last is %v for a good file", s.Last())
	}
}

// What is not a file is a fault, too, and neither blocks nor ends the watch.
func TestReloadNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.json")
	write(t, path, tools("acme.one"))
	s, _ := watch(t, path, manifest.Options{})
	settled(t, s)
	checked := s.Checked()
	must(t, os.Remove(path))
	must(t, os.Mkdir(path, 0o755))
	await.One(t, checked, "verdict on a directory")
	if names(s) != "acme.one" || s.Last() == nil || !strings.Contains(s.Last().Error(), "not a regular file") {
		t.Errorf("%q, %v", names(s), s.Last())
	}
	must(t, os.Remove(path))
	write(t, path, tools("acme.two"))
	until(t, s, "acme.two")
}

// A reload by hand says something even when nothing changed.
func TestReloadByHand(t *testing.T) {
	s, _ := watch(t, "", manifest.Options{})
	settled(t, s)
	path := filepath.Join(t.TempDir(), "none.json")
	s, _ = watch(t, path, manifest.Options{})
	settled(t, s)
	write(t, path, "broken")
	checked := s.Checked()
	s.Reload()
	await.One(t, checked, "answer")
}
