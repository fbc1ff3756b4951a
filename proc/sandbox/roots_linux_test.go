package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// A root is what is at its path when a program starts, with a base and without: a file that was
// replaced, one that a link leads to since, and one that came later.
func TestRootsAreLookedAtAgain(t *testing.T) {
	dir := t.TempDir()
	put := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "new"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to string) {
		t.Helper()
		_ = os.Remove(filepath.Join(dir, "link"))
		if err := os.Symlink(to, filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
	}
	put("based", "1")
	put("free", "1")
	put("first", "1")
	put("second", "2")
	link("first")
	r := sandbox.System()
	r.Read = append(r.Read,
		sandbox.Root{Base: dir, Path: "based"}, sandbox.Root{Path: dir + "/free"}, sandbox.Root{Path: dir + "/link"}, sandbox.Root{Path: dir + "/late"})
	box, h := newSandbox(t, r, landlock), proctest.NewHost(t)
	see := func() string {
		c := proctest.Shell("cd " + dir + "; cat based free link late 2>/dev/null")
		c.Sandbox = box
		out, _, _ := proctest.Output(proctest.Start(t, h, c))
		return out
	}
	if out := see(); out != "111" {
		t.Fatalf("%q", out)
	}
	put("based", "2")
	put("free", "2")
	link("second")
	put("late", "2")
	for range 2 {
		if out := see(); out != "2222" {
			t.Errorf("%q, want what is there now", out)
		}
	}
}

// A program with limits inherits nothing but what it was given, and what the caller opened to be
// inherited by others stays so.
func TestLimitedInheritsNothing(t *testing.T) {
	fd, err := unix.Open("/proc/self/status", unix.O_RDONLY, 0) // not closed on exec
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	r := sandbox.System()
	r.Read = append(r.Read, sandbox.Root{Path: "/proc"})
	r.Shim, r.Limits = proctest.Self(t), sandbox.Limits{Disk: 1 << 20, Processes: 20}
	box := newSandbox(t, r, 0)
	listed, err := os.Create(filepath.Join(t.TempDir(), "listed"))
	if err != nil {
		t.Fatal(err)
	}
	defer listed.Close()
	p, err := box.Start("/bin/ls", []string{"ls", "/proc/self/fd"}, &os.ProcAttr{Env: []string{}, Files: []*os.File{listed, listed, listed}})
	if err != nil {
		t.Fatal(err)
	}
	state, err := p.Wait()
	box.Ended(p)
	out, _ := os.ReadFile(listed.Name())
	if got := strings.Fields(string(out)); err != nil || !state.Success() || len(got) != 4 { // ls has its directory as 3
		t.Errorf("it has the descriptors %v (%v, %v)", got, state, err)
	}
	if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags != 0 {
		t.Errorf("the caller's descriptor has the flags %d (%v)", flags, err)
	}
}
