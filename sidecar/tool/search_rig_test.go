package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/files"
)

// tree makes files in a new directory; a content that begins with "-> " is a link's target.
func tree(t testing.TB, contents map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range contents {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		target, link := strings.CutPrefix(content, "-> ")
		if link {
			err = os.Symlink(target, file)
		} else {
			err = os.WriteFile(file, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// searched runs a search on real files and returns its text, and its error in a last line. The path is judged as it is.
func searched(t testing.TB, dir, id, args string, deny ...string) string {
	t.Helper()
	o := files.Options{Roots: []string{dir}, Reads: []string{dir}, Dir: dir, Keeper: confined(t)}
	if deny != nil {
		o.May = func(_ policy.Capability, path string) bool { return filepath.Base(path) != deny[0] }
	}
	all, err := files.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	var got string
	if err := all.Run(func(f tool.FS) { got = searchedOn(t.Context(), f, id, args) }); err != nil {
		t.Fatal(err)
	}
	return got
}

// confined returns what confines searches, as far as the system can.
func confined(t testing.TB) *confine.Keeper {
	t.Helper()
	k, err := confine.New(confine.Options{Mode: confine.Auto})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// searchedOn is searched on any files.
func searchedOn(ctx context.Context, f tool.FS, id, args string) string {
	var out bytes.Buffer
	if _, err := toolByID(id).Run(ctx, &tool.Call{Args: json.RawMessage(args), Out: &out, Session: &tool.Session{}, FS: f}); err != nil {
		out.WriteString("error: " + err.Error() + "\n")
	}
	return out.String()
}

// fakeFiles are files in memory, for what real ones do seldom. The workspace is /w.
type fakeFiles struct {
	tool.FS // nothing else is called
	files   fstest.MapFS
	// fail is the error of a path, nil for none; look is called with each path that is opened.
	fail func(path string) error
	look func(path string)
}

func (f fakeFiles) at(name string) (string, error) {
	name = path.Clean(name)
	if f.look != nil {
		f.look(name)
	}
	if f.fail != nil {
		if err := f.fail(name); err != nil {
			return "", &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
	if name == "/w" {
		return ".", nil
	}
	rest, ok := strings.CutPrefix(name, "/w/")
	if !ok {
		return "", &fs.PathError{Op: "open", Path: name, Err: tool.ErrOutside}
	}
	return rest, nil
}

func (f fakeFiles) Path(name string) (string, string, error) {
	if path.IsAbs(name) {
		return name, name, nil
	}
	return path.Join("/w", name), path.Clean(name), nil
}

func (f fakeFiles) Stat(name string) (fs.FileInfo, error) {
	name, err := f.at(name)
	if err != nil {
		return nil, err
	}
	return f.files.Stat(name)
}

func (f fakeFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	name, err := f.at(name)
	if err != nil {
		return nil, err
	}
	return f.files.ReadDir(name)
}

func (f fakeFiles) Open(name string) (tool.Opened, error) {
	name, err := f.at(name)
	if err != nil {
		return nil, err
	}
	content, err := f.files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return fakeOpened{bytes.NewReader(content)}, nil
}

func (f fakeFiles) Skipped() int { return 0 }

func (f fakeFiles) Workers(n int, work func(tool.FS)) {
	var all sync.WaitGroup
	for range n {
		all.Go(func() { work(f) })
	}
	all.Wait()
}

type fakeOpened struct{ *bytes.Reader }

func (fakeOpened) Close() error               { return nil }
func (fakeOpened) Stat() (fs.FileInfo, error) { return nil, fs.ErrInvalid }

// aged gives files of a directory their times: the first one is the newest.
func aged(t *testing.T, dir string, names ...string) {
	t.Helper()
	for i, name := range names {
		at := time.Unix(1_700_000_000-int64(i), 0)
		if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
}
