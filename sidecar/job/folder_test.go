package job

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// What cannot be in the runtime directory is held by us against every sidecar that
// sweeps the place, and is removed with us.
func TestFoldersElsewhere(t *testing.T) {
	base := t.TempDir()
	t.Setenv("TMPDIR", base)
	f := newFolders(t.TempDir(), "test", nil)
	var dirs [2]string
	for i := range dirs {
		dir, err := f.makeElsewhere("session-1")
		if err != nil {
			t.Fatal(err)
		}
		dirs[i] = dir
	}
	if one, other := filepath.Dir(dirs[0]), filepath.Dir(dirs[1]); one != other || filepath.Dir(one) != base || dirs[0] == dirs[1] {
		t.Errorf("they are %q", dirs)
	}
	lock, err := os.Stat(filepath.Join(filepath.Dir(dirs[0]), "lock"))
	if err != nil || !strings.HasPrefix(filepath.Base(filepath.Dir(dirs[0])), "sidecar-") {
		t.Errorf("%v, %v", lock, err)
	}
	other, err := channel.NewScratch(base, false) // which sweeps
	if err != nil {
		t.Fatal(err)
	}
	other.Remove()
	if _, err := os.Stat(dirs[1]); err != nil {
		t.Error(err)
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(base); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// What the process has put where a file is to come is neither waited for nor
// written to.
func TestFolderReplacesWhatIsThere(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	for kind, put := range map[string]func(path string) error{
		"a FIFO":         func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a hard link":    func(path string) error { return os.Link(victim, path) },
		"a link":         func(path string) error { return os.Symlink(victim, path) },
		"a directory":    func(path string) error { return os.Mkdir(path, 0o700) },
		"an earlier one": func(path string) error { return os.WriteFile(path, []byte("a longer text"), 0o400) },
	} {
		t.Run(kind, func(t *testing.T) {
			f := newFolders(t.TempDir(), "test", nil)
			d, err := f.open("task")
			if err != nil {
				t.Fatal(err)
			}
			path := d.path(filepath.Join(inbox, "photo.png"))
			if err := errors.Join(d.mkdir(inbox), put(path)); err != nil {
				t.Fatal(err)
			}
			// A descriptor that is open both ways lets a write to a FIFO end.
			if both, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0); err == nil {
				defer both.Close()
			}
			file, err := d.Receive(a2a.Part{Kind: a2a.PartRaw, Raw: []byte("new"), Filename: "photo.png"}, 0)
			if err != nil || file != path {
				t.Fatalf("%q, %v", file, err)
			}
			if info, err := os.Lstat(path); err != nil || info.Mode() != 0o600 {
				t.Errorf("it is %v, %v", info, err)
			} else if data, err := os.ReadFile(path); string(data) != "new" {
				t.Errorf("it holds %q, %v", data, err)
			}
			if data, _ := os.ReadFile(victim); string(data) != "kept" {
				t.Errorf("written to: %q", data)
			}
			if err := errors.Join(d.Remove(), f.close()); err != nil {
				t.Error(err)
			}
		})
	}
}
