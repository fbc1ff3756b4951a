package sandbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// limited is a way in which a program with limits is started.
type limited struct {
	user  *proc.User
	space *sandbox.Namespaces
}

// waysOfLimits returns all ways that there are here.
func waysOfLimits(t *testing.T) map[string]limited {
	all := map[string]limited{"plain": {}}
	if os.Geteuid() == 0 {
		all["another user"] = limited{user: &proc.User{UID: nobody, GID: nobody}}
	}
	if spaces := sandbox.NewNamespaces(proctest.Self(t)); spaces.Fault() == nil {
		all["a network of its own"] = limited{space: spaces}
	}
	return all
}

// run runs a program once, and returns what it writes.
func (w limited) run(t *testing.T, h *proc.Host, box *sandbox.Sandbox, c proc.Command) (string, proc.Exit) {
	c.User, c.Sandbox = w.user, box
	if w.space != nil {
		n, err := w.space.New()
		if err != nil {
			t.Error(err)
			return "", proc.Exit{}
		}
		defer n.Close()
		c.Sandbox = box.With(sandbox.More{Namespace: n})
	}
	child, err := h.Start(c)
	if err != nil {
		t.Error(err)
		return "", proc.Exit{}
	}
	out, stderr, exit := proctest.Output(child)
	child.Kill()
	return out + stderr, exit
}

// A program finds its limits when it begins, and so cannot exceed them with the first thing that it
// does, on a machine that is busy, in whatever way it is started. If they are set from outside, right
// after the start, many of these programs begin without.
func TestLimitsHoldFromTheBeginning(t *testing.T) {
	const starts, atOnce = 200, 8
	dir, err := os.MkdirTemp("/tmp", "limits")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	r := sandbox.System()
	r.Net = &sandbox.Net{Listen: true}
	r.Shim, r.Write = proctest.Self(t), []sandbox.Root{{Base: dir, Path: "."}}
	r.Limits = sandbox.Limits{Disk: 64 << 10, CPU: 9 * time.Second, Memory: 1 << 30}
	box := newSandbox(t, r, 0)
	ways := waysOfLimits(t)
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			h := proctest.NewHost(t)
			var work sync.WaitGroup
			room := make(chan struct{}, atOnce)
			for i := range starts / len(ways) {
				room <- struct{}{}
				work.Go(func() {
					defer func() { <-room }()
					file := filepath.Join(dir, fmt.Sprint(os.Getuid(), strings.ReplaceAll(name, " ", ""), i))
					if i%2 == 0 {
						out, exit := way.run(t, h, box, proctest.Shell("ulimit -f; ulimit -t; ulimit -d"))
						if want := "128\n9\n1048576\n"; out != want {
							t.Errorf("it begins with the limits %q (%v), want %q", out, exit, want)
						}
						return
					}
					c := proc.Command{Argv: []string{"/bin/dd", "if=/dev/zero", "of=" + file, "bs=128k", "count=1"}, Env: []string{}}
					out, exit := way.run(t, h, box, c)
					if info, err := os.Stat(file); err != nil || info.Size() > r.Limits.Disk || exit.Signal != syscall.SIGXFSZ && exit.Success() {
						t.Errorf("%v %v, %v %q", info, err, exit, out)
					}
				})
			}
			work.Wait()
		})
	}
}

// What a program's processes are counted by is gone when they are: at once if it leaves none behind,
// and after its stop if it does.
func TestGroupsGoWithTheirPrograms(t *testing.T) {
	if says := (sandbox.Limits{Processes: 9}).Gaps(0); len(says) > 0 {
		t.Skip(says)
	}
	r := sandbox.System()
	r.Shim, r.Limits = proctest.Self(t), sandbox.Limits{Processes: 9}
	box := newSandbox(t, r, 0)
	for _, script := range []string{"echo begun", "setsid sleep 1000 >/dev/null 2>&1 </dev/null & echo begun", "echo begun; sleep 1000"} {
		h := proctest.NewHost(t)
		before := len(limitGroups())
		c := proctest.Shell("read go; " + script)
		c.Sandbox = box
		child := proctest.Start(t, h, c)
		if got := len(limitGroups()); got != before+1 {
			t.Errorf("%q: %d groups while it runs, %d before", script, got, before)
		}
		stream := proctest.Follow(t, child)
		if _, err := child.Stdin().Write([]byte("\n")); err != nil {
			t.Fatal(err)
		}
		stream.Line("begun")
		if script != "echo begun" {
			child.Kill()
		}
		proctest.Eventually(t, "the end of the group of: "+script, func() bool { return len(limitGroups()) == before })
	}
}

// limitGroups returns the groups of ours that count processes.
func limitGroups() (all []string) {
	for _, dir := range []string{"/sys/fs/cgroup/pids", "/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			switch {
			case err != nil:
				return filepath.SkipDir
			case strings.HasPrefix(d.Name(), fmt.Sprintf("sidecar-limit-%d-", os.Getpid())):
				all = append(all, path)
			}
			return nil
		})
		if len(all) > 0 {
			break
		}
	}
	return all
}

// One process is one process: what starts a program does not count as another.
func TestOneProcess(t *testing.T) {
	if says := (sandbox.Limits{Processes: 1}).Gaps(os.Geteuid()); len(says) > 0 {
		t.Skip(says)
	}
	r := sandbox.System()
	r.Shim, r.Limits = proctest.Self(t), sandbox.Limits{Processes: 1}
	c := proctest.Shell("echo alone; sleep 0 & echo two")
	c.Sandbox = newSandbox(t, r, 0)
	out, stderr, _ := proctest.Output(proctest.Start(t, proctest.NewHost(t), c))
	if out != "alone\n" || !strings.Contains(stderr, "fork") {
		t.Errorf("%q %q", out, stderr)
	}
}

// A program with little memory can have a large environment: what starts it needs none of that memory.
// It has the limit of open files that others have.
func TestLittleMemory(t *testing.T) {
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: was.Cur - 1, Max: was.Max}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was) })
	r := sandbox.System()
	r.Shim, r.Limits = proctest.Self(t), sandbox.Limits{Memory: 2 << 20}
	box, h := newSandbox(t, r, 0), proctest.NewHost(t)
	files, _, _ := proctest.Output(proctest.Start(t, h, proctest.Shell("ulimit -n")))
	c := proctest.Shell("ulimit -d; ulimit -n")
	for i := range 14 {
		c.Env = append(c.Env, fmt.Sprintf("V%d=%s", i, strings.Repeat("x", 100<<10)))
	}
	for range 10 {
		if out, _ := (limited{}).run(t, h, box, c); out != "2048\n"+files {
			t.Fatalf("%q, want the file limit %q", out, files)
		}
	}
}

// A program with limits that cannot be started is told as it is without, and a shim that is none, or
// none at all, is told too.
func TestLimitsFaults(t *testing.T) {
	r := sandbox.System()
	r.Limits = sandbox.Limits{CPU: time.Second}
	if _, err := sandbox.New(r); err == nil || !strings.Contains(err.Error(), "RunShim") {
		t.Errorf("without a shim: %v", err)
	}
	dir := t.TempDir()
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	self, other := proctest.Self(t), &proc.User{UID: nobody, GID: nobody}
	for _, c := range []struct {
		shim string
		argv []string
		dir  string
		user *proc.User
		says string
	}{
		{self, []string{"/bin/true"}, filepath.Join(dir, "absent"), nil, "working directory"},
		{self, []string{script}, "", nil, "its sandbox does not let it execute"},
		{self, []string{"/bin/true"}, closed, other, "may not execute /bin/true, or not enter its working directory"},
		{"/bin/true", []string{"/bin/true"}, "", nil, "the shim ended before it answered"},
		{dir + "/none", []string{"/bin/true"}, "", nil, "the shim " + dir + "/none cannot be executed"},
	} {
		if c.user != nil && os.Geteuid() != 0 {
			continue
		}
		r.Shim = c.shim
		child, err := proctest.NewHost(t).Start(proc.Command{Argv: c.argv, Dir: c.dir, User: c.user, Env: []string{"PATH=/bin"}, Sandbox: newSandbox(t, r, sandbox.Landlock)})
		if err == nil {
			child.Kill()
			t.Errorf("%v in %q was started", c.argv, c.dir)
		} else if !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v in %q: %v, want %q", c.argv, c.dir, err, c.says)
		}
	}
}
