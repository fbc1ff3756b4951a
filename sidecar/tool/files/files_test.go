package files_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/files"
)

// ground is a workspace in a directory that has more.
type ground struct {
	t    testing.TB
	base string
	ws   string
}

func newGround(t testing.TB) *ground {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := &ground{t, base, filepath.Join(base, "ws")}
	g.must(os.Mkdir(g.ws, 0o755))
	g.put("../secret", "secret")
	return g
}

func (g *ground) must(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

func (g *ground) at(name string) string { return filepath.Join(g.ws, name) }

func (g *ground) put(name, content string) string {
	g.t.Helper()
	path := g.at(name)
	g.must(os.MkdirAll(filepath.Dir(path), 0o755))
	g.must(os.WriteFile(path, []byte(content), 0o644))
	return path
}

// keeper confines by Landlock, as far as the system has it.
func (g *ground) keeper() *confine.Keeper {
	g.t.Helper()
	k, err := confine.New(confine.Options{Mode: confine.Auto})
	g.must(err)
	return k
}

// work runs work with the files that o says, with what every call here has filled in.
func (g *ground) work(o files.Options, work func(tool.FS)) {
	g.t.Helper()
	o.Roots, o.Dir = []string{g.ws}, g.ws
	for i, p := range o.Reads {
		o.Reads[i] = g.at(p)
	}
	for i, p := range o.Writes {
		o.Writes[i] = g.at(p)
	}
	f, err := files.New(o)
	g.must(err)
	defer f.Close()
	g.must(f.Run(work))
}

// everywhere runs a test with a thread under Landlock and without it.
func everywhere(t *testing.T, test func(g *ground, k *confine.Keeper)) {
	t.Run("confined", func(t *testing.T) { g := newGround(t); test(g, g.keeper()) })
	t.Run("not confined", func(t *testing.T) { test(newGround(t), nil) })
}

func read(f tool.FS, path string) (string, error) {
	o, err := f.Open(path)
	if err != nil {
		return "", err
	}
	defer o.Close()
	all, err := io.ReadAll(o)
	return string(all), err
}

func TestWhatMayBeRead(t *testing.T) {
	everywhere(t, func(g *ground, k *confine.Keeper) {
		g.put("a", "one")
		g.put("dir/b", "two")
		g.put("dir/deep/c", "three")
		g.put("other", "no")
		g.must(errors.Join(os.Symlink("/etc/passwd", g.at("dir/passwd")), os.Symlink("../other", g.at("dir/other")), os.Symlink("deep", g.at("dir/link"))))
		g.must(syscall.Mkfifo(g.at("dir/pipe"), 0o600))
		g.work(files.Options{Keeper: k, Reads: []string{"a", "dir", "none"}}, func(f tool.FS) {
			for _, c := range []struct {
				path, want string
				err        error
			}{
				{"a", "one", nil}, {g.at("a"), "one", nil}, {"dir/b", "two", nil}, {"./dir//deep/../b", "two", nil}, {"dir/deep/c", "three", nil},
				{"other", "", tool.ErrOutside}, {"../secret", "", tool.ErrOutside}, {"/etc/passwd", "", tool.ErrOutside}, {"dir/../other", "", tool.ErrOutside}, {"/proc/self/root" + g.at("a"), "", tool.ErrOutside},
				{"dir/passwd", "", tool.ErrLink}, {"dir/other", "", tool.ErrLink}, {"dir/link/c", "", tool.ErrLink},
				{"dir", "", tool.ErrIsDir}, {"dir/pipe", "", tool.ErrKind}, {"none", "", fs.ErrNotExist}, {"dir/none", "", fs.ErrNotExist},
				{"A", "", tool.ErrOutside}, {"", "", fs.ErrInvalid}, {"a\x00", "", fs.ErrInvalid}, {"dir/" + strings.Repeat("x", 300), "", syscall.ENAMETOOLONG},
			} {
				got, err := read(f, c.path)
				if got != c.want || !errors.Is(err, c.err) {
					t.Errorf("%q: %q, %v, want %q, %v", c.path, got, err, c.want, c.err)
				}
			}
			if _, err := read(f, "a/x"); err == nil || err.Error() != `open a/x: "a" is no directory` {
				t.Errorf("a file as a directory: %v", err)
			}
			if _, err := f.Stat("dir/passwd"); err != nil {
				t.Errorf("a look at a link: %v", err)
			}
			if err := f.Replace("dir/b", nil, nil); !errors.Is(err, tool.ErrOutside) {
				t.Errorf("what is to be read is written: %v", err)
			}
			entries, err := f.ReadDir("dir")
			names := ""
			for _, e := range entries {
				info, err := e.Info()
				if err != nil || info.Mode().Type() != e.Type() {
					t.Errorf("%s: %v", e.Name(), err)
				}
				names += e.Name() + " "
			}
			if err != nil || len(entries) != 6 {
				t.Errorf("dir has %s %v", names, err)
			}
		})
	})
}

// A judged path has no link in it: one that is there has come since.
func TestALinkInTheWayOfAJudgedPath(t *testing.T) {
	everywhere(t, func(g *ground, k *confine.Keeper) {
		g.put("dir/a", "x")
		g.must(errors.Join(os.Symlink("dir", g.at("link")), os.Symlink("dir/a", g.at("file"))))
		for _, path := range []string{g.at("link/a"), g.at("file")} {
			f, err := files.New(files.Options{Roots: []string{g.ws}, Dir: g.ws, Reads: []string{path}, Writes: []string{path}, Keeper: k})
			if err == nil {
				g.must(f.Run(func(f tool.FS) {
					if _, err = f.Open(path); errors.Is(err, tool.ErrLink) {
						err = f.Replace(path, nil, nil)
					}
				}))
				f.Close()
			}
			if !errors.Is(err, tool.ErrLink) {
				t.Errorf("%s: %v", path, err)
			}
		}
	})
}

// What is below a judged directory and the rules do not allow is left out and counted.
func TestWhatNobodyNamedIsHeldAgainstTheRules(t *testing.T) {
	g := newGround(t)
	for _, name := range []string{"a", "secrets/b", "sub/.env", "sub/c"} {
		g.put(name, "x")
	}
	may := func(_ policy.Capability, path string) bool {
		return !strings.Contains(path, "secrets") && !strings.HasSuffix(path, ".env")
	}
	g.work(files.Options{Reads: []string{"."}, Writes: []string{"sub/.env"}, May: may}, func(f tool.FS) {
		var found atomic.Int32
		f.Workers(2, func(f tool.FS) {
			for _, dir := range []string{".", "sub"} {
				all, err := f.ReadDir(dir)
				g.must(err)
				found.Add(int32(len(all)))
			}
		})
		if found.Load() != 6 || f.Skipped() != 4 { // a, sub, sub/c; and secrets, sub/.env
			t.Errorf("found %d, left out %d", found.Load(), f.Skipped())
		}
		for _, path := range []string{"secrets/b", "sub/.env"} {
			if _, err := read(f, path); !errors.Is(err, tool.ErrDenied) {
				t.Errorf("%s: %v", path, err)
			}
		}
		if _, err := f.Stat("sub/.env"); err != nil {
			t.Errorf("what is to be written cannot be looked at: %v", err)
		}
		if err := f.Replace("sub/.env", nil, nil); !errors.Is(err, tool.ErrChanged) {
			t.Errorf("what was judged by its name: %v", err)
		}
	})
}

func TestKeptFiles(t *testing.T) {
	g := newGround(t)
	path := filepath.Join(g.base, "secret")
	open, err := os.Open(path)
	g.must(err)
	defer open.Close()
	g.work(files.Options{Kept: map[string]*os.File{path: open}, Given: map[string]string{"that": path}, Keeper: g.keeper()}, func(f tool.FS) {
		for range 2 {
			if got, err := read(f, "that"); got != "secret" || err != nil {
				t.Errorf("%q %v", got, err)
			}
		}
		if info, err := f.Stat(path); err != nil || info.Size() != 6 {
			t.Error(info, err)
		}
	})
}
