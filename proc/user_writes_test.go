package proc_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc"
)

// A file can be changed through itself, through each directory on the way to it, and through the
// links on the way.
func TestUserCanChange(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to give files away")
	}
	const uid, gid = 64001, 64002
	u := &proc.User{UID: uid, GID: gid}
	for _, c := range []struct {
		what    string
		prepare func(dir string) error // of dir/a/file
		path    string                 // below dir
		want    string                 // below dir, "-" for none
	}{
		{"root's alone", func(string) error { return nil }, "a/file", "-"},
		{"a file of everybody's", func(d string) error { return os.Chmod(d+"/a/file", 0o666) }, "a/file", "a/file"},
		{"the user's own file, read-only", func(d string) error {
			if err := os.Chmod(d+"/a/file", 0o444); err != nil {
				return err
			}
			return os.Chown(d+"/a/file", uid, gid)
		}, "a/file", "a/file"},
		{"a group's file", func(d string) error {
			if err := os.Chown(d+"/a/file", 0, gid); err != nil {
				return err
			}
			return os.Chmod(d+"/a/file", 0o664)
		}, "a/file", "a/file"},
		{"its directory", func(d string) error { return os.Chmod(d+"/a", 0o777) }, "a/file", "a"},
		{"its directory, sticky", func(d string) error { return os.Chmod(d+"/a", 0o777|os.ModeSticky) }, "a/file", "-"},
		{"a directory further up", func(d string) error {
			if err := os.Chown(d, 0, gid); err != nil {
				return err
			}
			return os.Chmod(d, 0o775)
		}, "a/file", "."},
		{"a link that leads away", func(d string) error {
			if err := os.Mkdir(d+"/b", 0o777); err != nil {
				return err
			}
			if err := os.Chmod(d+"/b", 0o777); err != nil {
				return err
			}
			return os.Symlink("b/c", d+"/link")
		}, "link/file", "b"},
		{"a link that the user may replace", func(d string) error {
			if err := os.Mkdir(d+"/b", 0o777); err != nil {
				return err
			}
			if err := os.Chmod(d+"/b", 0o777); err != nil {
				return err
			}
			return os.Symlink(d+"/a/file", d+"/b/link")
		}, "b/link", "b"},
		{"a file that is not there yet", func(d string) error { return os.Chmod(d+"/a", 0o777|os.ModeSticky) }, "a/new", "a"},
		{"a file that nobody can make", func(string) error { return nil }, "a/new", "-"},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "changes") // t.TempDir is below one of everybody's
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			if dir, err = filepath.EvalSymlinks(dir); err != nil {
				t.Fatal(err)
			}
			for _, err := range []error{os.Chmod(dir, 0o755), os.Mkdir(dir+"/a", 0o755), os.WriteFile(dir+"/a/file", nil, 0o644), c.prepare(dir)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			want := ""
			if c.want != "-" {
				want = filepath.Join(dir, c.want)
			}
			if got, err := u.CanChange(filepath.Join(dir, c.path)); err != nil || got != want {
				t.Errorf("by %q, want %q (%v)", got, want, err)
			}
		})
	}
	loop := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	if at, err := (&proc.User{UID: 1<<32 - 2}).CanChange(loop); err == nil && at == "" {
		t.Error("a link to itself leads somewhere")
	}
	if at, err := (&proc.User{}).CanChange(loop); err != nil || at == "" {
		t.Errorf("root cannot change %q: %v", at, err)
	}
}
