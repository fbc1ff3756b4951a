package capability_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/capability"
)

// tree makes a folder: a name that ends in / is a folder, name>target a link, any other
// a file. The folder's own path has no links.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		name, target, link := strings.Cut(n, ">")
		at := filepath.Join(dir, name)
		switch {
		case link:
			err = os.Symlink(strings.ReplaceAll(target, "DIR", dir), at)
		case strings.HasSuffix(n, "/"):
			err = os.MkdirAll(at, 0o700)
		default:
			err = os.WriteFile(at, nil, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestResolve(t *testing.T) {
	dir := tree(t, "a/b/", "a/file", "up>a/b", "abs>DIR/a", "a/b/back>../file", "dangling>DIR/gone/x", "chain>up", "self>self", "root>/", "out>../..")
	for in, want := range map[string]string{
		"/a/b": "/a/b", "/a//b/./": "/a/b", "/a/b/..": "/a", "/up/x/y": "/a/b/x/y", "/up/..": "/a", "/abs/b": "/a/b", "/chain/back": "/a/file",
		"/dangling": "/gone/x", "/dangling/y": "/gone/x/y", "/none/x": "/none/x", "/a/file/x": "/a/file/x",
		"/none/..": "!goes up", "/none/x/../..": "!goes up", "/a/file/x/..": "!goes up", "/self": "!too many links", "/self/x": "!too many links",
	} {
		got, err := capability.OS().Resolve(dir + in)
		if reason, bad := strings.CutPrefix(want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), reason) || strings.Contains(err.Error(), dir) {
				t.Errorf("%s: %q, %v, want %s", in, got, err, reason)
			}
			continue
		}
		if err != nil || got != dir+want {
			t.Errorf("%s is %q, %v; want %s", in, strings.TrimPrefix(got, dir), err, want)
		}
	}
	if got, err := capability.OS().Resolve(dir + "/root" + dir + "/a"); err != nil || got != dir+"/a" {
		t.Errorf("through the root: %q, %v", got, err)
	}
	if got, err := capability.OS().Resolve("/../.."); err != nil || got != "/" {
		t.Errorf("above the root: %q, %v", got, err)
	}
	if got, err := capability.OS().Resolve("a/b"); err == nil {
		t.Errorf("a relative path is %q", got)
	}
	long := dir + "/" + strings.Repeat("x", 300)
	if got, err := capability.OS().Resolve(long); err == nil {
		t.Errorf("a name that is too long is %q", got)
	}
	for path, want := range map[string]bool{"/a": true, "/a/file": false, "/none": false, "/up": false} {
		if got := capability.OS().IsDir(dir + path); got != want {
			t.Errorf("%s is a directory: %v", path, got)
		}
	}
}
