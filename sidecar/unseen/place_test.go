package unseen_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/unseen/strangers"
)

// place is where one program lives.
type place struct {
	dir   string
	name  string // of the program
	port  string // free on loopback
	model string // the address of the model
}

func newPlace(t *testing.T, name string) *place {
	t.Helper()
	dir, err := os.MkdirTemp("", "u") // short: a socket's path must be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l := &place{dir: dir, name: name}
	for _, name := range []string{"home", "work", "tmp", "run", "strangers"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l.link(t)
	return l
}

// furnish puts there what a program needs, and starts what has to run beside it.
func (l *place) furnish(t *testing.T, p program) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, l.port, _ = net.SplitHostPort(free.Addr().String())
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	if p.Model {
		l.model = newModel(t)
	}
	for name, text := range p.Files {
		path := filepath.Join(l.dir, "home", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(l.fill(text)), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	l.serve(t, p.Server)
}

// link gives the test binary the strangers' names.
func (l *place) link(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strangers.Names() {
		if err := os.Symlink(self, filepath.Join(l.dir, "strangers", name)); err != nil {
			t.Fatal(err)
		}
	}
}

// fill puts this place into a command, a message or a file.
func (l *place) fill(text string) string {
	testdata, _ := filepath.Abs("testdata")
	return strings.NewReplacer("{dir}", l.dir, "{testdata}", testdata, "{packages}", l.packages(), "{port}", l.port, "{model}", l.model).Replace(text)
}

// packages is where .ci/unseen has installed the program's packages from npm.
func (l *place) packages() string {
	return filepath.Join(os.Getenv("SIDECAR_UNSEEN_DIR"), l.name, "node_modules")
}

// path is PATH: the strangers, the agents that .ci/unseen has installed, and what there is.
func (l *place) path() string {
	dirs := []string{filepath.Join(l.dir, "strangers")}
	if installed := os.Getenv("SIDECAR_UNSEEN_DIR"); installed != "" {
		more, _ := filepath.Glob(filepath.Join(installed, "*", "node_modules", ".bin"))
		built, _ := filepath.Glob(filepath.Join(installed, "*", "bin"))
		dirs = slices.Concat(dirs, more, built)
	}
	return strings.Join(append(dirs, "/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"), ":")
}

// environ is all that the sidecar and its program get.
func (l *place) environ(p program) []string {
	env := []string{"HOME=" + l.dir + "/home", "TMPDIR=" + l.dir + "/tmp", "XDG_RUNTIME_DIR=" + l.dir + "/run", "PATH=" + l.path(), "LANG=C.UTF-8", "USER=agent", "SHELL=/bin/bash"}
	for _, e := range p.Env {
		env = append(env, l.fill(e))
	}
	return env
}

// missing is the program that is not installed, of those that a line of the list needs; "" if all are.
func (l *place) missing(p program) string {
	needed := append([]string{strings.Fields(p.Command)[0]}, p.Needs...)
	for _, name := range needed {
		if !l.has(name) {
			return name
		}
	}
	if _, err := os.Stat(l.packages()); p.NPM != "" && err != nil {
		return p.NPM
	}
	return ""
}

func (l *place) has(name string) bool {
	for dir := range strings.SplitSeq(l.path(), ":") {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// run is a command that prepares something.
func (l *place) run(t *testing.T, command string) {
	t.Helper()
	c := exec.Command("sh", "-c", l.fill(command))
	c.Dir = l.dir
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatal(fmt.Errorf("%s: %w\n%s", command, err, said))
	}
}
