package tree_test

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

// Processes that start others all the time, each in a session of its own and
// without a marker, must not slip through between looking and killing. Those in
// the group are stopped at once, those outside when they are found.
func TestKillOutrunsAForkStorm(t *testing.T) {
	const loop = `n=1000; while [ $((n-=1)) -gt 0 ]; do setsid sleep 300 & echo more; done; wait`
	for name, script := range map[string]string{
		"in the group": `(` + loop + `) & (` + loop + `) & wait`,
		"outside":      `setsid sh -c '` + loop + `' & wait`,
	} {
		t.Run(name, func(t *testing.T) {
			c := proctest.Shell(script)
			mark := "STORM=" + strconv.FormatInt(time.Now().UnixNano(), 36)
			c.Env = append(c.Env, mark)
			s := proctest.Follow(t, proctest.Start(t, proctest.NewHost(t), c))
			for range 40 {
				s.Line("more")
			}
			s.Child.Kill()
			s.End()
			if n := strings.Count(s.All(), "more"); name == "in the group" && n > 1900 {
				t.Errorf("the storm was over before it was stopped: %d processes", n)
			}
			if left := proctest.WithEntry(mark); len(left) > 0 {
				t.Errorf("%d processes left", len(left))
				for _, pid := range left {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			}
		})
	}
}

// A daemon is found at every step of its birth, in the middle of an exec too,
// where it has no environment.
func TestKillFindsADaemonBeingBorn(t *testing.T) {
	h := proctest.NewHost(t)
	for range 50 {
		c := proctest.Marked(t, proctest.Shell(`setsid sleep 300 >&- 2>&- & exit 0`))
		child := proctest.Start(t, h, c)
		child.Output(nil, nil)
		child.Kill()
		if left := proctest.WithEntry(c.Marker); len(left) > 0 {
			t.Errorf("%d daemons left", len(left))
			for _, pid := range left {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}

// held gives the command the writing end of a pipe as its standard input: the end
// of the pipe that is returned is that of all that descends from it.
func held(t *testing.T, c *proc.Command) (gone <-chan struct{}) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	c.Stdin = w
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer r.Close()
		_, _ = io.Copy(io.Discard, r)
	}()
	return done
}

// playChain forks and ends, and its child does the same: at any time there is one
// process, which lives for some 100 µs. Its only argument is "m" to keep its
// environment or "c" to run without.
func playChain(args []string) int {
	if args[0] == "c" {
		exe, _ := os.Executable()
		_ = syscall.Exec(exe, []string{exe, "chain", "m"}, []string{proctest.ProgramVariable + "=1"})
		return 1
	}
	proctest.AwaitTag()
	fmt.Println("chain")
	runtime.LockOSThread()
	chain(200_000)
	return 0
}

// chain makes nothing but system calls: after a fork there is no runtime.
//
//go:norace
//go:nosplit
func chain(generations int) {
	for range generations {
		pid, _, _ := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		if pid != 0 {
			syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		syscall.RawSyscall(unix.SYS_SETSID, 0, 0, 0)
	}
	syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
}

func TestStopOutrunsAChainOfForks(t *testing.T) {
	const longGone = 2 * time.Second
	for _, how := range []string{"m", "c"} {
		t.Run(how, func(t *testing.T) {
			h := proctest.NewHost(t)
			for range 5 {
				c := proctest.Marked(t, proctest.Command(t, "chain", how))
				gone := held(t, &c)
				s := proctest.Follow(t, proctest.Start(t, h, c))
				s.Line("chain")
				c.Stdin.Close()
				s.End()
				begin := time.Now()
				s.Child.Kill()
				select {
				case <-gone:
				case <-time.After(longGone): // left alone it lives some 20 s
					t.Fatalf("something lives %v after the kill, which took %v", longGone, time.Since(begin)-longGone)
				}
			}
		})
	}
}
