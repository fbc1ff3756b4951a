package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
)

// lay makes a directory with files.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A group of version 2 counts in the groups below it once that is switched on, which is not done
// again, nor where there is no such controller.
func TestVersion2Counts(t *testing.T) {
	const control = "cgroup.subtree_control"
	for _, c := range []struct {
		name, has, on, want string
		fails               bool
	}{
		{"off", "cpu memory pids\n", "", "+pids", false},
		{"off, with another", "cpu pids\n", "cpu\n", "+pids", false},
		{"on", "cpu pids\n", "cpu pids\n", "cpu pids\n", false},
		{"not to be had", "cpu memory rpids\n", "", "", true},
	} {
		dir := lay(t, map[string]string{"cgroup.controllers": c.has, control: c.on})
		err := countIn(dir)
		if got, _ := os.ReadFile(filepath.Join(dir, control)); string(got) != c.want || (err != nil) != c.fails {
			t.Errorf("%s: wrote %q (%v), want %q", c.name, got, err, c.want)
		}
	}
	if err := countIn(t.TempDir()); err == nil {
		t.Error("what is no group counts")
	}
}

// A new group has its bound before a process can enter it, and what cannot be made leaves nothing.
func TestNewGroupIsBounded(t *testing.T) {
	parent := t.TempDir()
	if _, err := newGroupIn(parent, 5); !errors.Is(err, errNoGroup) { // a plain directory has no cgroup.procs
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(parent, "*", "*"))
	if err != nil || len(left) != 1 {
		t.Fatal(left, err)
	}
	if got, _ := os.ReadFile(left[0]); filepath.Base(left[0]) != "pids.max" || string(got) != "5" {
		t.Errorf("%s has %q", left[0], got)
	}
	if _, err := newGroupIn(filepath.Join(parent, "absent"), 5); !errors.Is(err, errNoGroup) {
		t.Error(err)
	}
}

// In a real group of version 2 that is the root of threaded ones, a new group can be entered by a
// process that is elsewhere, by the descriptor that the shim has, and by no other way before.
func TestVersion2Threaded(t *testing.T) {
	root := ""
	for _, mount := range procfs.CgroupMounts() {
		root = mount
	}
	if root == "" || os.Geteuid() != 0 {
		t.Skip("there is no version 2 that we could divide")
	}
	top, err := os.MkdirTemp(root, "sandbox-test-")
	if err != nil {
		t.Skip(err)
	}
	first, second := &group{dir: filepath.Join(top, "first")}, &group{dir: filepath.Join(top, "second")}
	t.Cleanup(func() {
		for _, dir := range []string{first.dir, second.dir, top} {
			if err := os.Remove(dir); err != nil {
				t.Error(err)
			}
		}
	})
	if err := os.Mkdir(first.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := first.makeThreaded(); err != nil || kind(first) != "domain" {
		t.Errorf("a group that needs nothing is %q: %v", kind(first), err)
	}
	if err := os.WriteFile(first.file("cgroup.type"), []byte("threaded"), 0); err != nil {
		t.Skip(err)
	}
	if err := os.Mkdir(second.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	enter := func() (string, error) {
		procs, err := os.OpenFile(second.file("cgroup.procs"), os.O_WRONLY, 0)
		if err != nil {
			return "", err
		}
		defer procs.Close()
		c := exec.CommandContext(t.Context(), "/bin/sh", "-c", "printf 0 >&3 && cat /proc/self/cgroup")
		c.ExtraFiles = []*os.File{procs}
		out, err := c.Output()
		return string(out), err
	}
	if out, err := enter(); err == nil {
		t.Errorf("a group that is no use as it is can be entered: %q", out)
	}
	if err := second.makeThreaded(); err != nil || kind(second) != "threaded" {
		t.Errorf("the group is %q: %v", kind(second), err)
	}
	out, err := enter()
	if want := "0::" + strings.TrimPrefix(second.dir, root) + "\n"; err != nil || !strings.Contains(out, want) {
		t.Errorf("the process is in %q (%v), want %q", out, err, want)
	}
}

func kind(g *group) string {
	data, _ := os.ReadFile(g.file("cgroup.type"))
	return strings.TrimSpace(string(data))
}
