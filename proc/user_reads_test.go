package proc_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc"
)

func TestUserCanRead(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to give files away")
	}
	dir, err := os.MkdirTemp("", "reads") // t.TempDir is below one that is ours alone
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	const uid, gid = 64001, 64002
	for _, c := range []struct {
		what     string
		dir      os.FileMode
		file     os.FileMode
		uid, gid int
		want     bool
	}{
		{"ours alone", 0o755, 0o600, 0, 0, false},
		{"everybody's", 0o755, 0o604, 0, 0, true},
		{"the user's", 0o755, 0o400, uid, 0, true},
		{"the user's, not to be read", 0o755, 0o044, uid, gid, false},
		{"the group's", 0o755, 0o640, 0, gid, true},
		{"another group's", 0o755, 0o640, 0, gid + 1, false},
		{"a further group's", 0o755, 0o640, 0, gid + 2, true},
		{"everybody's where nobody gets", 0o700, 0o644, 0, 0, false},
	} {
		for _, err := range []error{os.Chmod(dir, c.dir), os.Chown(path, c.uid, c.gid), os.Chmod(path, c.file)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		u := &proc.User{UID: uid, GID: gid, Groups: []uint32{gid + 2}}
		if got, err := u.CanRead(link); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", c.what, got, err)
		}
	}
}
