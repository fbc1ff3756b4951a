package job

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A protected file is where nobody else can write, and goes with its folder.
func TestProtectedFiles(t *testing.T) {
	f := newFolders(t.TempDir(), "test", nil)
	d, err := f.open("task")
	if err != nil {
		t.Fatal(err)
	}
	safe := func(string) error { return nil }
	path, err := d.Protect("x.json", []byte("first"), safe)
	if err != nil {
		t.Fatal(err)
	}
	again, err := d.Protect("x.json", []byte("new"), safe)
	if data, failed := os.ReadFile(path); again != path || err != nil || failed != nil || string(data) != "new" {
		t.Errorf("%q, then %q: %q, %v, %v", path, again, data, err, failed)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 || filepath.Dir(path) == d.dir {
		t.Errorf("%s: %v, %v", path, info, err)
	}
	if err := d.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
}

// If the runtime directory is no safe place, another one is found, and nothing stays there.
func TestProtectedFilesElsewhere(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "")
	f := newFolders(t.TempDir(), "test", nil)
	d, err := f.open("task")
	if err != nil {
		t.Fatal(err)
	}
	unsafe := errors.New("others can write there")
	atHome := func(dir string) error {
		if dir != home && filepath.Dir(dir) != home {
			return unsafe
		}
		return nil
	}
	path, err := d.Protect("x.json", []byte("x"), atHome)
	if err != nil || filepath.Dir(filepath.Dir(path)) != home {
		t.Errorf("%q, %v", path, err)
	}
	if _, err := d.Protect("x.json", nil, func(string) error { return unsafe }); !errors.Is(err, unsafe) {
		t.Errorf("without a safe place: %v", err)
	}
	if err := errors.Join(d.Remove(), f.close()); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(home); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
