package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/files"
)

func TestReplace(t *testing.T) {
	everywhere(t, func(g *ground, k *confine.Keeper) {
		old := g.put("old", "before")
		g.put("sub/x", "x")
		g.must(errors.Join(os.Chmod(old, 0o754), os.Link(old, g.at("hard")), os.Symlink("old", g.at("link"))))
		g.must(syscall.Mkfifo(g.at("pipe"), 0o600))
		writes := []string{"old", "new/deep/a", "sub", "pipe", "old/x"}
		g.work(files.Options{Keeper: k, Reads: slices.Clone(writes), Writes: slices.Clone(writes)}, func(f tool.FS) {
			before, err := f.Stat("old")
			g.must(err)
			for _, c := range []struct {
				path string
				old  fs.FileInfo
				err  error
			}{
				{"old", nil, tool.ErrChanged}, {"old", before, nil}, {"old", before, tool.ErrChanged},
				{"new/deep/a", before, tool.ErrChanged}, {"new/deep/a", nil, nil}, {"new/deep/a", nil, tool.ErrChanged},
				{"sub", nil, tool.ErrIsDir}, {"sub/y", nil, nil}, {"pipe", nil, tool.ErrKind},
				{"other", nil, tool.ErrOutside}, {"new/b", nil, tool.ErrOutside}, {"../secret", nil, tool.ErrOutside},
			} {
				if err := f.Replace(c.path, []byte("after"), c.old); !errors.Is(err, c.err) {
					t.Errorf("%s: %v, want %v", c.path, err, c.err)
				}
			}
			if err := f.Replace("old/x", nil, nil); err == nil || err.Error() != `write old/x: "old" is no directory` {
				t.Errorf("a file as a directory: %v", err)
			}
			fresh, err := f.Stat("new/deep/a")
			g.must(err)
			if err := f.Remove("new/deep/a", before); !errors.Is(err, tool.ErrChanged) {
				t.Errorf("something else is removed: %v", err)
			}
			g.must(f.Remove("new/deep/a", fresh))
			if err := f.Remove("sub", nil); !errors.Is(err, tool.ErrIsDir) {
				t.Errorf("a directory is removed: %v", err)
			}
		})
		for name, want := range map[string]string{"old": "after", "sub/y": "after", "hard": "before"} {
			if got, err := os.ReadFile(g.at(name)); err != nil || string(got) != want {
				t.Errorf("%s has %q %v", name, got, err)
			}
		}
		if info, err := os.Stat(old); err != nil || info.Mode().Perm() != 0o754 {
			t.Errorf("the mode is %v %v", info.Mode(), err)
		}
		_ = filepath.WalkDir(g.ws, func(path string, _ fs.DirEntry, _ error) error {
			if strings.HasSuffix(path, ".tmp") {
				t.Errorf("%s is left", path)
			}
			return nil
		})
	})
}

func TestAUsersFiles(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	g := newGround(t)
	for dir := g.ws; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		g.must(os.Chmod(dir, 0o755))
	}
	secret := g.put("secret", "x")
	theirs := g.put("theirs", "x")
	g.must(errors.Join(os.Chmod(secret, 0o600), os.Chown(g.ws, 4711, 4711), os.Chmod(theirs, 0o646)))
	g.work(files.Options{User: &proc.User{UID: 4711, GID: 4711}, Reads: []string{"."}, Writes: []string{"."}}, func(f tool.FS) {
		if _, err := read(f, "secret"); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("another user's file: %v", err)
		}
		old, err := f.Stat("secret")
		g.must(err)
		if err := f.Replace("secret", nil, old); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("another user's file is replaced: %v", err)
		}
		old, err = f.Stat("theirs")
		g.must(errors.Join(err, f.Replace("theirs", []byte("y"), old), f.Replace("deep/new", nil, nil)))
	})
	for _, path := range []string{"theirs", "deep", "deep/new"} {
		info, err := os.Stat(g.at(path))
		g.must(err)
		if owner := info.Sys().(*syscall.Stat_t); owner.Uid != 4711 || owner.Gid != 4711 {
			t.Errorf("%s is %d:%d's", path, owner.Uid, owner.Gid)
		}
	}
	if info, _ := os.Stat(theirs); info.Mode().Perm() != 0o646 {
		t.Errorf("its mode is %v", info.Mode())
	}
}

// Our own user gives a file away that it replaces, if it may; with --user the agent's user cannot.
func TestTheOwnerStays(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files away")
	}
	everywhere(t, func(g *ground, k *confine.Keeper) {
		path := g.put("theirs", "x")
		g.must(errors.Join(os.Chown(path, 4711, 4712), os.Chmod(path, 0o640)))
		g.work(files.Options{Keeper: k, Writes: []string{"theirs"}}, func(f tool.FS) {
			old, err := f.Stat("theirs")
			g.must(errors.Join(err, f.Replace("theirs", []byte("y"), old)))
		})
		info, err := os.Stat(path)
		g.must(err)
		if owner := info.Sys().(*syscall.Stat_t); owner.Uid != 4711 || owner.Gid != 4712 || info.Mode().Perm() != 0o640 {
			t.Errorf("it is %d:%d's, %v", owner.Uid, owner.Gid, info.Mode())
		}
	})
}

// The sidecar's own files are read and not written.
func TestTheSidecarsOwnFiles(t *testing.T) {
	g := newGround(t)
	g.put("state/audit.log", "x")
	k, err := confine.New(confine.Options{Mode: confine.Auto, Private: []confine.Private{{Path: g.at("state"), Setting: "--state-dir"}}})
	g.must(err)
	g.work(files.Options{Keeper: k, Reads: []string{"."}, Writes: []string{"."}}, func(f tool.FS) {
		if got, err := read(f, "state/audit.log"); got != "x" || err != nil {
			t.Error(got, err)
		}
		old, err := f.Stat("state/audit.log")
		g.must(err)
		for what, err := range map[string]error{"replaced": f.Replace("state/audit.log", nil, old), "removed": f.Remove("state/audit.log", old), "made": f.Replace("state/new", nil, nil)} {
			if !errors.Is(err, tool.ErrDenied) || !strings.HasSuffix(err.Error(), "it is the sidecar's own") {
				t.Errorf("it is %s: %v", what, err)
			}
		}
	})
}
