package sandbox_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// nobody is a user who is not root.
const nobody = 65532

// asNobody runs tests of this binary once more as a user who is not root. It skips the test where
// we cannot become one.
func asNobody(t *testing.T, tests string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user: the tests run as the one that it is")
	}
	dir, err := os.MkdirTemp("/tmp", "nobody")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	binary := filepath.Join(dir, "tests")
	copyFile(t, binary, proctest.Self(t))
	for _, p := range []string{dir, binary} {
		if err := os.Chown(p, nobody, nobody); err != nil {
			t.Skip(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*proctest.Patience)
	defer cancel()
	c := exec.CommandContext(ctx, binary, "-test.run", "^("+tests+")$", "-test.v")
	c.Dir, c.Env = dir, append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), "--- SKIP") {
		t.Skipf("user namespaces are not to be had here:\n%s", out)
	}
	for name := range strings.SplitSeq(tests, "|") {
		if !strings.Contains(string(out), "--- PASS: "+name+" ") {
			t.Errorf("%s did not run:\n%s", name, out)
		}
	}
}

func copyFile(t *testing.T, to, from string) {
	t.Helper()
	src, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(dst, src); err != nil {
		t.Fatal(err)
	}
	if err := dst.Close(); err != nil {
		t.Fatal(err)
	}
}

// Who is not root has network namespaces too, and what holds there holds here.
func TestNamespacesOfNobody(t *testing.T) {
	asNobody(t, "TestNamespace|TestNamespaceIsClosed|TestInside|TestInsideCounts|TestInsideFaults|TestInsideLeavesNothing|TestNamespacesFault|TestInsideListener|TestLimitsHoldFromTheBeginning|TestLittleMemory|TestLimitsFaults")
}

// inside returns network namespaces that are made in user namespaces, or skips the test.
func inside(t testing.TB) *sandbox.Namespaces {
	t.Helper()
	spaces := sandbox.NewNamespaces(proctest.Self(t))
	if err := spaces.Fault(); err != nil {
		t.Skip(err)
	}
	if !spaces.InUserNamespaces() {
		t.Skip("root needs no user namespace")
	}
	return spaces
}

// In a user namespace a program has all layers, no capabilities, its own user, and the descriptors
// that it was given.
func TestInside(t *testing.T) {
	spaces := inside(t)
	n, err := spaces.New()
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	r := sandbox.System()
	r.Shim, r.Net, r.Limits = proctest.Self(t), &sandbox.Net{Listen: true}, sandbox.Limits{Memory: 1 << 30, Processes: 7}
	r.Read = append(r.Read, sandbox.Root{Path: "/proc"})
	box := newSandbox(t, r, sandbox.AllLayers).With(sandbox.More{Namespace: n})
	c := proctest.Shell("cat /proc/self/status; ulimit -d; ulimit -p; id -u; id -g; ls /proc/self/fd; cat /etc/shadow /root/.profile; unshare -U true; echo end")
	c.Sandbox = box
	out, stderr, exit := proctest.Output(proctest.Start(t, proctest.NewHost(t), c))
	none := "0000000000000000\n"
	for _, want := range []string{
		"CapInh:\t" + none, "CapPrm:\t" + none, "CapEff:\t" + none, "CapAmb:\t" + none,
		"NoNewPrivs:\t1\n", "Seccomp:\t2\n", fmt.Sprintf("\n%d\n", 1<<20),
		fmt.Sprintf("\n%d\n%d\n0\n1\n2\n3\nend", os.Getuid(), os.Getgid()), // ls has its directory as 3
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in %s\n%s", want, out, stderr)
		}
	}
	if !exit.Success() || strings.Count(stderr, "denied") < 1 || !strings.Contains(stderr, "not permitted") {
		t.Errorf("%v, %q", exit, stderr)
	}
}

// A program's processes are counted in its user namespace, whatever else its user runs.
func TestInsideCounts(t *testing.T) {
	n, err := inside(t).New()
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	r := sandbox.System()
	r.Shim, r.Net, r.Limits = proctest.Self(t), &sandbox.Net{Listen: true}, sandbox.Limits{Processes: 5}
	c := proctest.Shell("for i in 1 2 3 4 5 6; do sleep 1000 & echo $i; done")
	c.Sandbox = newSandbox(t, r, 0).With(sandbox.More{Namespace: n})
	child := proctest.Start(t, proctest.NewHost(t), c)
	defer child.Kill()
	out, stderr, _ := proctest.Output(child)
	if !strings.HasPrefix(out, "1\n2\n3\n4\n") || strings.Contains(out, "5") || !strings.Contains(stderr, "fork") {
		t.Errorf("%q %q", out, stderr)
	}
}

// A program that cannot be started is told as it is without a user namespace, and a namespace is
// for one program.
func TestInsideFaults(t *testing.T) {
	spaces := inside(t)
	r := sandbox.System()
	r.Net = &sandbox.Net{Listen: true}
	box := newSandbox(t, r, 0)
	n, err := spaces.New()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		argv []string
		dir  string
		says string
	}{
		{[]string{"/bin/true"}, filepath.Join(dir, "absent"), "working directory"},
		{[]string{script}, "", "its sandbox does not let it execute"},
		{[]string{"/bin/true"}, "", "for one program"},
	} {
		h := proctest.NewHost(t)
		child, err := h.Start(proc.Command{Argv: c.argv, Dir: c.dir, Env: []string{"PATH=/bin"}, Sandbox: box.With(sandbox.More{Namespace: n})})
		if err == nil {
			child.Kill()
			t.Errorf("%v in %q was started", c.argv, c.dir)
			continue
		}
		if !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v in %q: %v, want %q", c.argv, c.dir, err, c.says)
		}
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
	if _, err := n.Listener().Accept(); err == nil {
		t.Error("a closed namespace accepts")
	}
	never, err := spaces.New()
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan error, 1)
	go func() {
		_, err := never.Listener().Accept()
		accepted <- err
	}()
	if err := never.Close(); err != nil {
		t.Error(err)
	}
	if err := <-accepted; err == nil {
		t.Error("a namespace that was never made accepts")
	}
}

// Programs that ran, could not be started, or were killed at once leave no process, no descriptor
// and no namespace.
func TestInsideLeavesNothing(t *testing.T) {
	spaces := inside(t)
	r := sandbox.System()
	r.Net = &sandbox.Net{Listen: true}
	box := newSandbox(t, r, 0)
	h := proctest.NewHost(t)
	live := func(argv []string, kill bool) func() {
		return func() {
			n, err := spaces.New()
			if err != nil {
				t.Fatal(err)
			}
			defer n.Close()
			c := proc.Command{Argv: argv, Env: []string{"PATH=/bin"}, Sandbox: box.With(sandbox.More{Namespace: n})}
			child, err := h.Start(c)
			if err != nil {
				return
			}
			if kill {
				child.Kill()
			}
			proctest.Output(child)
		}
	}
	proctest.NoLeaks(t, map[string]func(){
		"a program":                            live([]string{"/bin/true"}, false),
		"a killed program":                     live([]string{"/bin/sleep", "1000"}, true),
		"a program that is not to be executed": live([]string{proctest.Self(t)}, false),
		"a namespace without a program": func() {
			n, err := spaces.New()
			if err != nil {
				t.Fatal(err)
			}
			n.Close()
		},
	})
	for range 200 {
		live([]string{"/bin/true"}, false)()
	}
	proctest.Eventually(t, "the end of all processes", func() bool { return len(namedShim(t)) == 0 && len(otherNetworks(t)) == 0 })
}

// namedShim returns the processes of ours that are a shim still.
func namedShim(t *testing.T) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if line, _ := os.ReadFile(f); strings.HasPrefix(string(line), sandbox.ShimName+"\x00") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// otherNetworks returns the processes of our user that are in another network than we.
func otherNetworks(t *testing.T) (pids []int) {
	ours, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("/proc/[0-9]*/ns/net")
	for _, f := range files {
		if at, err := os.Readlink(f); err == nil && at != ours {
			pid, _ := strconv.Atoi(strings.Split(f, "/")[2])
			pids = append(pids, pid)
		}
	}
	return pids
}

// Where the shim is no shim, or there is none, the reason is told.
func TestNamespacesFault(t *testing.T) {
	if spaces := sandbox.NewNamespaces(""); os.Geteuid() != 0 && spaces.Fault() == nil {
		t.Error("there are user namespaces without a shim")
	}
	if spaces := sandbox.NewNamespaces("/bin/true"); os.Geteuid() != 0 && (spaces.Fault() == nil || !strings.Contains(spaces.Fault().Error(), "user namespaces")) {
		t.Errorf("a program that is no shim: %v", spaces.Fault())
	}
}

// A connection that a program makes in its user namespace comes to the listener, whose address is
// known before.
func TestInsideListener(t *testing.T) {
	n := newNamespace(t)
	if at := n.Listener().Addr().(*net.TCPAddr); at.Port != sandbox.NamespacePort || !at.IP.IsLoopback() {
		t.Errorf("the listener is at %s", at)
	}
}
