package sandbox_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// grounds are a directory that may be read, one that may be written, and one of which no rule speaks; each
// has a file "a".
type grounds struct{ base, read, write, closed string }

func newGrounds(t testing.TB) (g grounds, rules sandbox.Rules) {
	t.Helper()
	base := t.TempDir()
	g = grounds{base, filepath.Join(base, "read"), filepath.Join(base, "write"), filepath.Join(base, "closed")}
	for _, dir := range []string{g.read, g.write, g.closed} {
		if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "a"), []byte("content"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	rules.Read = []sandbox.Root{{Base: base, Path: "read"}}
	rules.Write = []sandbox.Root{{Base: base, Path: "write"}}
	return g, rules
}

// newThreads makes threads, or skips the test if the system has no Landlock.
func newThreads(t testing.TB, r sandbox.Rules, user *syscall.Credential) *sandbox.Threads {
	t.Helper()
	threads, err := sandbox.NewThreads(r, user)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(threads.Close)
	if threads.Layers()&landlock == 0 && r.Off == 0 {
		t.Skipf("this system has no Landlock: %v", sandbox.Probe().Why)
	}
	return threads
}

func run(t testing.TB, threads *sandbox.Threads, f func()) {
	t.Helper()
	if err := threads.Run(f); err != nil {
		t.Fatal(err)
	}
}

func TestAFunctionIsHeldAndNoOtherGoroutineIs(t *testing.T) {
	g, rules := newGrounds(t)
	threads := newThreads(t, rules, nil)
	read := func(dir string) error { _, err := os.ReadFile(filepath.Join(dir, "a")); return err }
	write := func(dir string) error { return os.WriteFile(filepath.Join(dir, "b"), nil, 0o600) }
	want := map[string]bool{
		"read read": true, "write read": false, "read write": true, "write write": true, "read closed": false, "write closed": false,
	}
	try := func() map[string]bool {
		got := map[string]bool{}
		for name, dir := range map[string]string{"read": g.read, "write": g.write, "closed": g.closed} {
			got["read "+name], got["write "+name] = read(dir) == nil, write(dir) == nil
		}
		return got
	}
	run(t, threads, func() {
		for what, got := range try() {
			if got != want[what] {
				t.Errorf("in the function, %s: %v", what, got)
			}
		}
		if err := read(g.closed); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("the error is %v", err)
		}
		free := make(chan map[string]bool)
		go func() { free <- try() }()
		for what, got := range <-free {
			if !got {
				t.Errorf("in another goroutine meanwhile, %s fails", what)
			}
		}
	})
	for what, got := range try() {
		if !got {
			t.Errorf("after the function, %s fails", what)
		}
	}
}

func TestTheThreadOfAFunctionEnds(t *testing.T) {
	needUnrestricted(t)
	_, rules := newGrounds(t)
	threads := newThreads(t, rules, nil)
	tid := 0
	run(t, threads, func() { tid = unix.Gettid() })
	if tid == os.Getpid() {
		t.Error("it was the main thread")
	}
	gone := func() bool {
		_, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", tid))
		return errors.Is(err, fs.ErrNotExist)
	}
	proctest.Eventually(t, "the end of the thread", func() bool { return gone() && len(restricted()) == 0 })
}

func TestManyFunctionsAtOnce(t *testing.T) {
	needUnrestricted(t)
	g, rules := newGrounds(t)
	threads := newThreads(t, rules, nil)
	const functions = 200
	var work sync.WaitGroup
	room := make(chan struct{}, 16)
	for i := range functions {
		room <- struct{}{}
		work.Go(func() {
			defer func() { <-room }()
			if i%2 == 0 {
				if _, err := os.ReadFile(filepath.Join(g.closed, "a")); err != nil {
					t.Errorf("without the rules: %v", err)
				}
				return
			}
			err := threads.Run(func() {
				if _, err := os.ReadFile(filepath.Join(g.read, "a")); err != nil {
					t.Error(err)
				}
				if _, err := os.ReadFile(filepath.Join(g.closed, "a")); err == nil {
					t.Error("a function has read what is closed")
				}
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	proctest.Eventually(t, "the end of the threads", func() bool { return len(restricted()) == 0 })
}

// The kernel sees the user, and the groups, of the thread: what is made is that user's, and what only
// a group may read can be read by its members alone.
func TestAFunctionRunsAsAUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	const uid, gid, group = 4711, 4712, 4713
	g, rules := newGrounds(t)
	for dir := g.base; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ofGroup, ofRoot := filepath.Join(g.read, "group"), filepath.Join(g.read, "root")
	err := errors.Join(
		os.Chown(g.write, uid, gid),
		os.WriteFile(ofGroup, nil, 0o640), os.Chown(ofGroup, 0, group),
		os.WriteFile(ofRoot, nil, 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(g.write, "made")
	for _, groups := range [][]uint32{nil, {group}} {
		threads := newThreads(t, rules, &syscall.Credential{Uid: uid, Gid: gid, Groups: groups})
		run(t, threads, func() {
			if _, err := os.ReadFile(ofGroup); (err == nil) != (groups != nil) {
				t.Errorf("groups %v: %v", groups, err)
			}
			if _, err := os.ReadFile(ofRoot); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("a file of root's: %v", err)
			}
			if err := os.WriteFile(made, nil, 0o600); err != nil {
				t.Error(err)
			}
			if err := unix.Chroot("/"); !errors.Is(err, unix.EPERM) {
				t.Errorf("it has a capability: %v", err)
			}
		})
	}
	info, err := os.Stat(made)
	if err != nil {
		t.Fatal(err)
	}
	if owner := info.Sys().(*syscall.Stat_t); owner.Uid != uid || owner.Gid != gid {
		t.Errorf("what it made is %d:%d's", owner.Uid, owner.Gid)
	}
	if os.Geteuid() != 0 {
		t.Error("the process is another user's")
	}
	if _, err := os.ReadFile(ofRoot); err != nil {
		t.Errorf("another goroutine: %v", err)
	}
}

// Without Landlock, functions run all the same, and Layers tells.
func TestAFunctionWithoutLandlock(t *testing.T) {
	g, rules := newGrounds(t)
	rules.Off = landlock
	threads := newThreads(t, rules, nil)
	if threads.Layers() != 0 {
		t.Errorf("it is held by %v", threads.Layers())
	}
	run(t, threads, func() {
		if _, err := os.ReadFile(filepath.Join(g.closed, "a")); err != nil {
			t.Error(err)
		}
	})
}

func TestAFunctionsRootIsNoLink(t *testing.T) {
	g, rules := newGrounds(t)
	newThreads(t, rules, nil).Close()
	if err := errors.Join(os.Rename(g.read, g.base+"/was"), os.Symlink("closed", g.read)); err != nil {
		t.Fatal(err)
	}
	if _, err := sandbox.NewThreads(rules, nil); !errors.Is(err, unix.ELOOP) {
		t.Errorf("a link in the place of a root: %v", err)
	}
}

// BenchmarkFunction is what a thread of its own costs a function that opens and reads a file, over the same
// without it.
func BenchmarkFunction(b *testing.B) {
	g, rules := newGrounds(b)
	file := filepath.Join(g.read, "a")
	read := func() {
		if _, err := os.ReadFile(file); err != nil {
			b.Error(err)
		}
	}
	for _, name := range []string{"rules and thread", "thread alone"} {
		b.Run(name, func(b *testing.B) {
			threads := newThreads(b, rules, nil)
			var bare, ours []time.Duration
			for b.Loop() {
				bare = append(bare, proctest.Timed(read))
				ours = append(ours, proctest.Timed(func() {
					if name == "thread alone" {
						run(b, threads, read)
						return
					}
					one, err := sandbox.NewThreads(rules, nil)
					if err != nil {
						b.Fatal(err)
					}
					run(b, one, read)
					one.Close()
				}))
			}
			slices.Sort(ours)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(proctest.Median(bare))/1e3, "bare-µs")
			b.ReportMetric(float64(ours[len(ours)/2])/1e3, "p50-µs")
			b.ReportMetric(float64(ours[len(ours)*99/100])/1e3, "p99-µs")
		})
	}
}
