package sidecar_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
)

// belt is a workspace with a sidecar that serves examples/tool-belt in it, under
// --sandbox required where the tests are root: the agent needs another user then.
type belt struct {
	*running
	workspace string
}

// openBelt starts a belt. programs are those that the test needs; registry takes the
// place of npm's.
func openBelt(t *testing.T, registry string, programs ...string) *belt {
	t.Helper()
	for _, l := range confine.Layers() {
		if !l.On {
			t.Skipf("the sandbox has no %s here: %s", l.Name, l.Why)
		}
	}
	path := "/usr/local/bin:/usr/bin:/bin"
	for _, name := range programs {
		found, err := exec.LookPath(name)
		if err != nil && os.Getenv("SIDECAR_BELT") == "" {
			t.Skip(err)
		} else if err != nil {
			t.Fatal(err)
		}
		if name == "go" {
			path = filepath.Dir(found) + ":" + path
		}
	}
	dir, err := os.MkdirTemp("", "belt") // t.TempDir is in a directory of our own user's
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	workspace, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	tools := strings.ReplaceAll(golden.Read(t, "../examples/tool-belt/tools.json"), "registry.npmjs.org", registry)
	manifest := filepath.Join(t.TempDir(), "tools.json")
	b := &belt{workspace: workspace}
	b.write(t, manifest, tools)
	args := []string{"--mode", "oneshot", "--sandbox", "auto"}
	if os.Geteuid() == 0 {
		args = []string{"--mode", "oneshot", "--sandbox", "required", "--user", fmt.Sprint(beltUser)}
		give(t, workspace)
	}
	b.running = runWith(t, []string{"PATH=" + path}, append(args, "--workspace", workspace, "--manifest", manifest, "--", "cat")...)
	return b
}

// beltUser is the user of the agent and of its tools, if the tests are root.
const beltUser = 65532

// give makes a directory beltUser's.
func give(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, beltUser, beltUser)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// write makes a file, by a path in the workspace or an absolute one.
func (b *belt) write(t *testing.T, path, content string) {
	t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(b.workspace, path)
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// call calls a tool on what was written, which has to end well.
func (b *belt) call(t *testing.T, tool, args string) {
	t.Helper()
	if os.Geteuid() == 0 {
		give(t, b.workspace)
	}
	if rep := b.do(http.MethodPost, "/a2a/tools/"+tool, "application/json", args); rep.status != http.StatusOK {
		t.Fatalf("%s: %d %s", tool, rep.status, rep.body)
	}
}

// prints runs a program in the workspace, outside of any sandbox, and holds its output
// to want.
func (b *belt) prints(t *testing.T, want, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = b.workspace, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%s %s: %v: %s, want %q", name, strings.Join(args, " "), err, out, want)
	}
}

func TestBeltCommits(t *testing.T) {
	b := openBelt(t, "registry.npmjs.org", "git")
	b.write(t, "a.txt", "one")
	b.prints(t, "", "git", "init", "-q", ".")
	b.prints(t, "", "git", "add", ".")
	b.prints(t, "", "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "first")
	b.write(t, "a.txt", "two")
	b.call(t, "belt.git_commit", `{"message":"by the tool"}`)
	b.prints(t, "Tools: by the tool", "git", "log", "-1", "--format=%an: %s")
	b.prints(t, "two", "git", "show", "HEAD:a.txt")
}

func TestBeltCompiles(t *testing.T) {
	b := openBelt(t, "registry.npmjs.org", "cc")
	b.write(t, "src/a.c", "#include <stdio.h>\nint main(void) { puts(\"compiled\"); }\n")
	b.call(t, "belt.cc", `{"source":"src/a.c","output":"build/a"}`)
	b.prints(t, "compiled", filepath.Join(b.workspace, "build/a"))
	if rep := b.do(http.MethodPost, "/a2a/tools/belt.cc", "application/json", `{"source":"src/a.c","output":"src/a"}`); rep.status != http.StatusForbidden {
		t.Errorf("outside of what it declares: %d %s", rep.status, rep.body)
	}
}

// whole skips what takes long, or needs programs that few machines have: `make belt`
// runs it.
func whole(t *testing.T) {
	t.Helper()
	if os.Getenv("SIDECAR_BELT") == "" {
		t.Skip("make belt runs it")
	}
}

func TestBeltBuildsGo(t *testing.T) {
	whole(t)
	b := openBelt(t, "registry.npmjs.org", "go")
	b.write(t, "go.mod", "module x\n\ngo 1.24\n")
	b.write(t, "cmd/hello/main.go", "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"built\") }\n")
	b.call(t, "belt.go_build", `{}`)
	b.prints(t, "built", filepath.Join(b.workspace, "bin/hello"))
}

func TestBeltMakesAnEnvironment(t *testing.T) {
	whole(t)
	b := openBelt(t, "registry.npmjs.org", "python3")
	b.call(t, "belt.venv", `{}`)
	b.prints(t, "pip", filepath.Join(b.workspace, ".venv/bin/python"), "-m", "pip", "--version")
}

// The registry is at an address of this machine, which the tool has to name.
func TestBeltInstallsFromARegistry(t *testing.T) {
	whole(t)
	archive := tarball(t, map[string]string{"package/package.json": `{"name":"dep","version":"1.0.0"}`, "package/index.js": `console.log("installed")`})
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(archive) }))
	defer registry.Close()
	address := strings.TrimPrefix(registry.URL, "http://")
	b := openBelt(t, address, "npm", "node")
	sum := sha512.Sum512(archive)
	b.write(t, "package.json", `{"name":"x","version":"1.0.0","dependencies":{"dep":"1.0.0"}}`)
	b.write(t, "package-lock.json", fmt.Sprintf(`{"name":"x","version":"1.0.0","lockfileVersion":3,"requires":true,"packages":{
		"":{"name":"x","version":"1.0.0","dependencies":{"dep":"1.0.0"}},
		"node_modules/dep":{"version":"1.0.0","resolved":"%s/dep.tgz","integrity":"sha512-%s"}}}`, registry.URL, base64.StdEncoding.EncodeToString(sum[:])))
	b.call(t, "belt.npm_ci", `{}`)
	b.prints(t, "installed", "node", "node_modules/dep/index.js")
}

// tarball packs files as npm does.
func tarball(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, content := range files {
		err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))})
		if err == nil {
			_, err = w.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
