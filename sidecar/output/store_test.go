package output_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
)

func newStore(t *testing.T, limit int64) (*output.Store, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := output.NewStore(output.Options{Dir: dir, Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, dir
}

// keep writes a whole file.
func keep(t *testing.T, s *output.Store, id, content string) string {
	t.Helper()
	f, err := s.Create(id, "c")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := f.Keep("text/plain"); err != nil {
		t.Fatal(err)
	}
	return f.Path()
}

func TestFileIsPrivateAndWhole(t *testing.T) {
	s, dir := newStore(t, 100)
	f, err := s.Create("one", "c")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("he")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open("one"); !errors.Is(err, output.ErrNotFound) {
		t.Errorf("a file that is still written: %v", err)
	}
	if _, err := f.Write([]byte("llo")); err != nil {
		t.Fatal(err)
	}
	if err := f.Keep("text/plain"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "one"))
	if err != nil || info.Mode() != 0o600 || f.Path() != filepath.Join(dir, "one") {
		t.Errorf("%s: %v, %v", f.Path(), info.Mode(), err)
	}
	r, err := s.Open("one")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := io.ReadAll(r)
	if string(got) != "hello" || err != nil || r.Size != 5 || r.MediaType != "text/plain" || r.ETag == "" || r.Modified.IsZero() {
		t.Errorf("%q, %v of %+v", got, err, r)
	}
	if _, err := s.Create("one", "c"); err == nil {
		t.Error("an id was used twice")
	}
}

func TestLimitOfAFile(t *testing.T) {
	s, _ := newStore(t, 10)
	f, err := s.Create("one", "c")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.Write(bytes.Repeat([]byte("x"), 10)); n != 10 || err != nil {
		t.Fatalf("up to the limit: %d, %v", n, err)
	}
	if n, err := f.Write([]byte("y")); n != 0 || !errors.Is(err, output.ErrLimit) || f.Size() != 10 {
		t.Errorf("beyond the limit: %d, %v, %d bytes", n, err, f.Size())
	}
	if _, err := output.NewStore(output.Options{Dir: t.TempDir()}); err == nil {
		t.Error("a store without a limit was made")
	}
}

func TestSomethingElseInItsPlace(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, plant := range map[string]func(path string) error{
		"a link":         func(path string) error { return os.Symlink(secret, path) },
		"a link inside":  func(path string) error { return os.Symlink("other", path) },
		"a second name":  func(path string) error { return os.Link(secret, path) },
		"another file":   func(path string) error { return os.WriteFile(path, []byte("forged"), 0o600) },
		"a directory":    func(path string) error { return os.Mkdir(path, 0o700) },
		"nothing at all": func(string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newStore(t, 100)
			keep(t, s, "other", "other")
			path := keep(t, s, "one", "mine")
			if err := os.Rename(path, path+".away"); err != nil {
				t.Fatal(err)
			}
			if err := plant(path); err != nil {
				t.Fatal(err)
			}
			if r, err := s.Open("one"); !errors.Is(err, output.ErrNotFound) {
				t.Errorf("opened: %+v, %v", r, err)
			}
		})
	}
}

func TestIDIsNoPath(t *testing.T) {
	s, dir := newStore(t, 100)
	outside := filepath.Join(filepath.Dir(dir), "outside")
	for _, id := range []string{"../outside", outside, "", ".", "..", "a/b"} {
		if f, err := s.Create(id, "c"); err == nil {
			t.Errorf("%q made %s", id, f.Path())
		}
		if _, err := s.Open(id); !errors.Is(err, output.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := os.Lstat(outside); err == nil {
		t.Error("a file was made outside")
	}
}

func TestForgottenFilesAreRemoved(t *testing.T) {
	s, dir := newStore(t, 100)
	one, two := keep(t, s, "one", "1"), keep(t, s, "two", "2")
	s.Forget("one", "three")
	if _, err := s.Open("one"); !errors.Is(err, output.ErrNotFound) {
		t.Errorf("forgotten: %v", err)
	}
	await.True(t, "the file is removed", func() bool {
		_, err := os.Lstat(one)
		return errors.Is(err, fs.ErrNotExist)
	})
	if _, err := os.Lstat(two); err != nil {
		t.Errorf("the other file: %v", err)
	}
	other := filepath.Join(dir, "lock")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := s.Create("open", "c")
	if err != nil {
		t.Fatal(err)
	}
	s.Forget("two")
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 || names[0].Name() != "lock" {
		t.Errorf("after Close there are %v, %v", names, err)
	}
	if _, err := s.Create("late", "c"); !errors.Is(err, output.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	f.Discard() // must not panic
}

func TestNoStore(t *testing.T) {
	var none *output.Store
	none.Forget("x")
	if _, err := none.Open("x"); !errors.Is(err, output.ErrNotFound) || none.Limit() != 0 || none.Close() != nil {
		t.Errorf("no store: %v", err)
	}
}
