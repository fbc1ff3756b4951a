package waits_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/waits"
)

const (
	pythonLimit = "import select, os, resource, ctypes\n_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)\nresource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))\nr, w = os.pipe()\n"
	// %d other descriptors are in the set.
	pythonEpollN = pythonLimit + "p = select.epoll()\nfor i in range(%d): p.register(os.dup(r), select.EPOLLIN)\nprint('up')\np.poll()"
	pythonPollN  = pythonLimit + "p = select.poll()\np.register(0, 1)\nfor i in range(%d): p.register(os.dup(r), 1)\nprint('up')\np.poll()"
	// The highest descriptor of the set is %d.
	pythonSelectN = pythonLimit + "n = %d\nos.dup2(r, n)\nset = (ctypes.c_ubyte * 4096)()\nset[0] = 1\nset[n // 8] |= 1 << n %% 8\nprint('up', flush=True)\nctypes.CDLL(None).select(n + 1, set, None, None, None)"
	// Two processes of a group whose parent has ended sleep in the foreground.
	pythonOrphans = `import os, signal, time
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
pid = os.fork()
if pid == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    for i in range(2):
        if os.fork() == 0:
            time.sleep(100)
            os._exit(0)
    os._exit(0)
os.waitpid(pid, 0)
print('up', flush=True)
time.sleep(100)`
	pythonThree = "import threading, sys\ne = threading.Event()\nfor i in range(2): threading.Thread(target=e.wait, daemon=True).start()\nprint('up')\nsys.stdin.readline()"
)

// TestLimits: a look inspects as many processes and threads as its limits say. If there is one more,
// the look is Hidden and says why.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name               string
		argv               []string
		mark               string
		processes, threads int
		kind               waits.Kind
		doing              waits.Doing
		fewer              func(pid int) *waits.Terminal
		why                string
	}{
		{
			"processes", []string{"dash", "-c", "sleep 100 & sleep 100 & echo up; sleep 100; true"}, "up", 4, 9, waits.Busy, waits.Sleeps,
			func(pid int) *waits.Terminal { return waits.OfWithin(pid, 3, 9) }, waits.TooMany,
		},
		{
			"processes without a parent", []string{"python3", "-c", pythonOrphans}, "up", 3, 9, waits.Busy, waits.Sleeps,
			func(pid int) *waits.Terminal { return waits.OfWithin(pid, 1, 9) }, waits.TooMany,
		},
		{
			"threads", []string{"python3", "-c", pythonThree}, "up", 9, 3, waits.Reads, 0,
			func(pid int) *waits.Terminal { return waits.OfWithin(pid, 9, 2) }, waits.TooThreads,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, c.mark, c.argv[0], c.argv[1:]...)
			p.sees(t, c.kind, c.doing)
			if look := waits.OfWithin(p.pid, c.processes, c.threads).Look(); look.Kind != c.kind {
				t.Errorf("within the limits: %+v", look)
			}
			if look := c.fewer(p.pid).Look(); look.Kind != waits.Hidden || look.Why != c.why {
				t.Errorf("one more than the limit: %+v", look)
			}
		})
	}
}

// TestCost: a look costs no more than it promises, whatever the program has open.
func TestCost(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	many := min(int(limit.Max), 30_000) - 20
	for name, c := range map[string]struct {
		script string
		kind   waits.Kind
		why    string
		most   time.Duration
	}{
		"a set with many descriptors": {fmt.Sprintf(pythonEpollN, many), waits.Watches, "", 5 * time.Millisecond}, // the kernel alone takes 20 ms to write it
		"many threads":                {pythonThreads, waits.Hidden, waits.TooLong, waits.MaxCost() + 10*time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, "up", "python3", "-c", c.script)
			look := p.sees(t, c.kind, 0)
			if t.Logf("%v", look.Cost); look.Cost > c.most || look.Why != c.why {
				t.Errorf("a look costs %v: %+v", look.Cost, look)
			}
		})
	}
}

// TestUntouched: a file that only looks like a terminal by its path is not asked what it is: it may be on
// a network that does not answer.
func TestUntouched(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pts")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	open := func(name string) int {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|syscall.O_NOCTTY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return int(f.Fd())
	}
	for _, name := range []string{"x", "7"} {
		if waits.MaybeTerminal(os.Getpid(), open(filepath.Join(dir, name))) {
			t.Errorf("%s is asked", filepath.Join(dir, name))
		}
	}
	if !waits.MaybeTerminal(os.Getpid(), open("/dev/null")) {
		t.Error("a device is not asked")
	}
	if err := syscall.Mount("devpts", dir, "devpts", 0, "newinstance,ptmxmode=0666"); err != nil {
		t.Log("nothing can be mounted here:", err)
		return
	}
	defer func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }()
	master := open(filepath.Join(dir, "ptmx"))
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	if !waits.MaybeTerminal(os.Getpid(), open(filepath.Join(dir, "0"))) {
		t.Error("a terminal of another devpts is not asked")
	}
}
